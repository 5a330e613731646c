// What the colors of the heat map mean, and the range that they stand for.

import { useEffect, useRef } from "preact/hooks";
import { paletteOf } from "./colors";
import { float } from "./format";

interface Props { high: number; usual: number; most: number; dark: boolean; onChange: (range: number | null) => void }

export function Legend({ high, usual, most, dark, onChange }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = paletteOf(dark);
  useEffect(() => {
    const c = canvas.current?.getContext("2d");
    if (!c) return;
    for (let x = 0; x < 120; x++) {
      c.fillStyle = palette.css(x / 59.5 - 1);
      c.fillRect(x, 0, 1, 10);
    }
  }, [dark]);
  const value = high === usual ? "usual" : high === most ? "most" : "other";
  const factor = (f: number) => onChange(Number((high * f).toPrecision(3)));
  return (
    <div class="legend">
      <span class="num">{float(-high, 3)}</span>
      <canvas ref={canvas} width={120} height={10} aria-hidden="true" />
      <span class="num">{float(high, 3)}</span>
      <span class="swatch"><i style={{ background: palette.nanCss }} />NaN</span>
      <span class="swatch"><i style={{ background: palette.infCss }} />Inf</span>
      <select aria-label="Range of the colors" value={value} onChange={(e) => {
        const v = e.currentTarget.value;
        if (v === "usual") onChange(null);
        else if (v === "most") onChange(most);
        else factor(v === "half" ? .5 : 2);
      }}>
        <option value="usual">99% of values</option>
        <option value="most">all values</option>
        <option value="half">half the range</option>
        <option value="double">twice the range</option>
        {value === "other" && <option value="other">± {float(high, 3)}</option>}
      </select>
    </div>
  );
}
