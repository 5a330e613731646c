// The colors of values: blue below zero, orange above, which people with any color vision can tell apart.

export interface Palette {
  /** Colors from -1 to 1 as 0xAABBGGRR, the byte order of image data. */
  table: Uint32Array;
  nan: number; inf: number;
  css: (x: number) => string;
  nanCss: string; infCss: string;
}

type Stop = [at: number, r: number, g: number, b: number];

const light: Stop[] = [
  [-1, 8, 42, 110], [-.6, 42, 98, 190], [-.25, 146, 188, 236], [0, 250, 250, 248], [.25, 245, 190, 132], [.6, 211, 110, 26], [1, 118, 46, 4],
];
const dark: Stop[] = [
  [-1, 196, 222, 255], [-.6, 104, 160, 246], [-.25, 42, 78, 150], [0, 24, 26, 30], [.25, 128, 66, 20], [.6, 232, 134, 52], [1, 255, 220, 180],
];
const steps = 1024; // on each side of zero

function mix(stops: Stop[], x: number): [number, number, number] {
  let i = 1;
  while (i < stops.length - 1 && stops[i]![0] < x) i++;
  const a = stops[i - 1]!, b = stops[i]!, f = (x - a[0]) / (b[0] - a[0]);
  return [a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2]), a[3] + f * (b[3] - a[3])];
}

function palette(stops: Stop[]): Palette {
  const table = new Uint32Array(2 * steps + 1);
  for (let i = 0; i < table.length; i++) {
    const [r, g, b] = mix(stops, i / steps - 1);
    table[i] = (0xff000000 | Math.round(b) << 16 | Math.round(g) << 8 | Math.round(r)) >>> 0;
  }
  return {
    table, nan: 0xff8a1fe0, inf: 0xff6aa800, nanCss: "#e01f8a", infCss: "#00a86a",
    css: (x) => `rgb(${mix(stops, Math.max(-1, Math.min(1, x))).map(Math.round).join(" ")})`,
  };
}

const lightPalette = palette(light), darkPalette = palette(dark);

export const paletteOf = (isDark: boolean) => isDark ? darkPalette : lightPalette;

/** Colors values into pixels; `high` is the magnitude at the ends of the palette. */
export function paint(values: Float32Array, pixels: Uint32Array, high: number, p: Palette) {
  const scale = high > 0 ? steps / high : 0, { table, nan, inf } = p;
  for (let i = 0; i < values.length; i++) {
    const x = values[i]!;
    if (x - x !== 0) pixels[i] = x !== x ? nan : inf;
    else {
      const k = x * scale;
      pixels[i] = table[k >= steps ? 2 * steps : k <= -steps ? 0 : (k + steps + .5) | 0]!;
    }
  }
}
