// What the server has opened, for every part of the page.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useRoute } from "./route";
import type { Session, Target } from "./types";

export const SessionContext = createContext<Session>(null as unknown as Session);

export const useSession = () => useContext(SessionContext);

/** The target that the address names, the first by default. */
export function useTarget(): Target {
  const session = useSession();
  const { query } = useRoute();
  return session.targets[Number(query.get("t") ?? 0)] ?? session.targets[0]!;
}

/** How many bytes are read without asking. */
export function useBudget(): number {
  const { limits } = useSession();
  const target = useTarget();
  return target.remote ? limits.remote_budget : limits.local_budget;
}

/** The parameter t for links: absent if there is one target only. */
export function useT(): number | null {
  const session = useSession();
  const target = useTarget();
  return session.targets.length > 1 ? target.t : null;
}
