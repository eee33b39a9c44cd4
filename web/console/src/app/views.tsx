import { lazy, type ComponentType } from "react";
import { Live } from "../live/live";
import type { IconName } from "../parts/icon";

export type View = { name: "live" | "timeline" | "history" | "screens" | "numbers" | "questions"; path: string; icon: IconName; page: ComponentType };

/** The views, in the order of the navigation. The first is there at once; the others come when they are opened. */
export const views: readonly View[] = [
  { name: "live", path: "/", icon: "live", page: Live },
  { name: "timeline", path: "/timeline", icon: "timeline", page: lazy(() => import("../timeline/timeline")) },
  { name: "history", path: "/history", icon: "history", page: lazy(() => import("../history/history")) },
  { name: "screens", path: "/screens", icon: "screens", page: lazy(() => import("../screens/screens")) },
  { name: "numbers", path: "/numbers", icon: "numbers", page: lazy(() => import("../numbers/numbers")) },
  { name: "questions", path: "/graphiql", icon: "questions", page: lazy(() => import("../questions/questions")) },
];
