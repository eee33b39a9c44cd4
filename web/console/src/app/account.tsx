import { useState } from "react";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { useWords } from "../words";
import { useSession } from "./session";

/** Who one is, and the way out. */
export function AccountMenu() {
  const words = useWords();
  const { userId, roles, leave } = useSession();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button quiet" aria-label={`${words.shell.account}: ${userId}`} onClick={() => setOpen(true)}>
        <Icon name="person" />
        <span className="account-name">{userId}</span>
      </button>
      {open && (
        <Dialog label={words.shell.account} onClose={() => setOpen(false)}>
          <div className="account">
            <h2>
              {words.signIn.signedInAs} {userId}
            </h2>
            <p className="row">
              {roles.map((role) => (
                <span key={role} className="tag">
                  {words.roles[role]}
                </span>
              ))}
            </p>
            <div className="actions">
              <button type="button" className="button" onClick={() => setOpen(false)}>
                {words.item.close}
              </button>
              <button type="button" className="button primary" onClick={leave}>
                {words.signIn.leave}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
