// The dialog with the keys, the version and the licenses.

import { useEffect, useRef } from "preact/hooks";
import type { Session } from "./types";

const keys: [string, string][] = [
  ["1 … 5", "go to a page"],
  ["/", "filter tensors"],
  ["↑ ↓ Page Home End", "move in a table"],
  ["→ ←", "open and close a branch of the tree"],
  ["Enter", "open the selection"],
  ["+ −", "zoom the heat map"],
  ["↑ ↓ ← →", "move the heat map"],
  ["0", "show the whole tensor"],
  ["[ ]", "previous and next tensor"],
  ["Alt ←", "back"],
  ["?", "show or hide these keys"],
];

export function Help({ open, onClose, session }: { open: boolean; onClose: () => void; session: Session }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Keyboard and help" onClick={(e) => { if (e.target === dialog.current) onClose(); }}>
      <div class="dialog">
        <h2>Keyboard</h2>
        <table class="keys">
          <tbody>
            {keys.map(([key, what]) => (
              <tr key={what}><th scope="row">{key.split(" ").map((k) => k === "…" ? " … " : <kbd key={k}>{k}</kbd>)}</th><td>{what}</td></tr>
            ))}
          </tbody>
        </table>
        <p class="soft">
          weigh {session.version}. {session.export ? "A report of weigh view." : <>The page runs on your machine and sends no data to other servers. <a href="/assets/licenses.txt" target="_blank">Licenses</a></>}
        </p>
        <button type="button" onClick={onClose}>Close</button>
      </div>
    </dialog>
  );
}
