import { useState, type FormEvent } from "react";
import type { CombinedError } from "urql";
import type { Role } from "../graph/graphql";
import { Failure } from "../parts/failure";
import { useWords } from "../words";
import { allRoles, type Auth, type Caller } from "./caller";
import { LanguageSwitch, ThemeSwitch } from "./switches";
import "./sign-in.css";

type Props = { auth: Auth; last: Caller | undefined; error: CombinedError | undefined; onEnter: (caller: Caller) => void };

/** Asks who is there: a name that is believed, or a token. */
export function SignIn({ auth, last, error, onEnter }: Props) {
  const words = useWords().signIn;
  return (
    <main className="sign-in">
      <div className="panel sign-in-card">
        <div className="row spread">
          <span className="row">
            <img src="/mark.svg" width="32" height="32" alt="" />
            <strong className="wordmark">Occupy</strong>
          </span>
          <span className="row tight">
            <LanguageSwitch />
            <ThemeSwitch />
          </span>
        </div>
        <h1>{words.title}</h1>
        <p className="muted">{words[auth]}</p>
        {error && (
          <div>
            <p className="small muted">{words.refused}</p>
            <Failure error={error} again={last && (() => onEnter({ ...last }))} />
          </div>
        )}
        {auth === "jwt" ? <TokenForm onEnter={onEnter} /> : <NameForm last={last} onEnter={onEnter} />}
      </div>
    </main>
  );
}

function TokenForm({ onEnter }: Pick<Props, "onEnter">) {
  const words = useWords().signIn;
  const [token, setToken] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onEnter({ token: token.trim().replace(/^bearer\s+/i, "") });
  };
  return (
    <form onSubmit={submit} className="sign-in-form">
      <label className="field">
        {words.token}
        <textarea className="input mono" required spellCheck={false} autoComplete="off" value={token} onChange={(e) => setToken(e.target.value)} />
      </label>
      <button className="button primary">{words.enter}</button>
    </form>
  );
}

function NameForm({ last, onEnter }: Pick<Props, "last" | "onEnter">) {
  const words = useWords();
  const before = last && "userId" in last ? last : undefined;
  const [userId, setUserId] = useState(before?.userId ?? "");
  const [roles, setRoles] = useState<readonly Role[]>(before?.roles ?? ["OPERATOR", "SUPERVISOR", "ANALYST"]);
  const toggle = (role: Role) => setRoles(allRoles.filter((one) => (one === role) !== roles.includes(one)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (roles.length > 0) onEnter({ userId: userId.trim(), roles: [...roles] });
  };
  return (
    <form onSubmit={submit} className="sign-in-form">
      <label className="field">
        {words.signIn.userId}
        <input className="input" required autoFocus pattern=".*\S.*" maxLength={40} autoComplete="username" value={userId} onChange={(e) => setUserId(e.target.value)} />
      </label>
      <fieldset className="sign-in-roles">
        <legend className="field">{words.signIn.roles}</legend>
        {allRoles.map((role) => (
          <button key={role} type="button" className="chip" aria-pressed={roles.includes(role)} onClick={() => toggle(role)}>
            {words.roles[role]}
          </button>
        ))}
        {roles.length === 0 && <p className="note">{words.signIn.noRole}</p>}
      </fieldset>
      <button className="button primary" disabled={roles.length === 0}>
        {words.signIn.enter}
      </button>
    </form>
  );
}
