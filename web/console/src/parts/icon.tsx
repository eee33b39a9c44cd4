// Strokes on a grid of 24; drawn for this console.
const paths = {
  live: "M4 12h3l3-7 4 14 3-7h3",
  screens: "M4 5h16v11H4zM9 20h6M12 16v4",
  history: "M4 12a8 8 0 1 0 2.500-5.800M4 4v4h4M12 8v4l3 2",
  timeline: "M4 6h8M9 12h9M6 18h7M4 3v18",
  numbers: "M9 4 7 20M17 4l-2 16M4 9h16M4 15h16",
  questions: "M8 5 3 12l5 7M16 5l5 7-5 7M13.500 5l-3 14",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600 19 19M5 19l1.400-1.400M17.600 6.400 19 5",
  moon: "M20 14.500A8 8 0 0 1 9.500 4 8 8 0 1 0 20 14.500",
  auto: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 3v18M12 7h6M12 12h9M12 17h6",
  wall: "M3 5h18v12H3zM8 21h8M3 13h18",
  close: "M6 6l12 12M18 6 6 18",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21c0-4 3.500-6 8-6s8 2 8 6",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16.500 16.500 21 21",
  plus: "M12 5v14M5 12h14",
  download: "M12 4v11M7.500 11l4.500 4.500 4.500-4.500M5 20h14",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
