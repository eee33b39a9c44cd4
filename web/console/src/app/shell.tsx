import { Suspense, useEffect } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { Icon } from "../parts/icon";
import { useWords } from "../words";
import { AccountMenu } from "./account";
import { LanguageSwitch, ThemeSwitch } from "./switches";
import { views } from "./views";
import { useWall } from "./wall";
import "./shell.css";

/** The frame around every view: where one can go, and who one is. */
export function Shell() {
  const words = useWords();
  const [path] = useLocation();
  const [wall] = useWall();
  const view = views.find((one) => one.path === path);
  const title = view && words.views[view.name];
  useEffect(() => {
    document.title = title ? `${title} · Occupy` : "Occupy";
  }, [title]);
  return (
    <div className={wall ? "shell wall" : "shell"}>
      <a className="skip" href="#content">
        {words.shell.skip}
      </a>
      {!wall && <Frame />}
      <main id="content" tabIndex={-1}>
        <Suspense fallback={<p className="nothing">{words.signIn.checking}</p>}>
          <Switch>
            {views.map(({ path, page }) => (
              <Route key={path} path={path} component={page} />
            ))}
            <Route component={NoPage} />
          </Switch>
        </Suspense>
      </main>
    </div>
  );
}

function Frame() {
  const words = useWords();
  const [path] = useLocation();
  return (
    <>
      <header className="top">
        <Link href="/" className="top-mark" aria-label="Occupy">
          <img src="/mark.svg" width="28" height="28" alt="" />
          <strong className="wordmark">Occupy</strong>
        </Link>
        <span className="top-switches">
          <LanguageSwitch />
          <ThemeSwitch />
          <AccountMenu />
        </span>
      </header>
      <nav className="nav" aria-label={words.shell.views}>
        {views.map((view) => (
          <Link key={view.path} href={view.path} className="nav-link" aria-current={path === view.path ? "page" : undefined}>
            <Icon name={view.icon} size={22} />
            <span>{words.views[view.name]}</span>
          </Link>
        ))}
      </nav>
    </>
  );
}

function NoPage() {
  const words = useWords().shell;
  return (
    <div className="nothing">
      <p>{words.noPage}</p>
      <Link href="/">{words.toLive}</Link>
    </div>
  );
}
