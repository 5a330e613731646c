// Which part of a matrix the heat map shows, and how large.

export interface Area { x: number; y: number; width: number; height: number }

/** The largest size of an element on the screen, in CSS pixels. */
export const largestX = 64, largestY = 30;

export class Camera {
  /** The element at the left top corner of the area; negative where there is room around the matrix. */
  x = 0; y = 0;
  /** The size of an element in CSS pixels. */
  sx = 1; sy = 1;
  area: Area = { x: 0, y: 0, width: 1, height: 1 };
  fitted = true;

  constructor(readonly rows: number, readonly columns: number) {}

  private get fitX() { return Math.min(largestX, this.area.width / this.columns); }
  private get fitY() { return Math.min(largestY, this.area.height / this.rows); }

  resize(area: Area) {
    const cx = this.x + this.area.width / this.sx / 2, cy = this.y + this.area.height / this.sy / 2;
    this.area = area;
    if (this.fitted) this.fit();
    else this.center(cx, cy);
  }

  /** Shows the whole matrix, stretched to the area, but not so far that a square would not be recognized. */
  fit() {
    let sx = this.fitX, sy = this.fitY;
    const wide = this.columns / this.rows;
    if (wide > 1 / 8 && wide < 8) {
      sx = Math.min(sx, sy * 2.2);
      sy = Math.min(sy, sx * 2.2);
    }
    this.sx = sx;
    this.sy = sy;
    this.fitted = true;
    this.center(this.columns / 2, this.rows / 2);
  }

  /** Zooms by a factor around a point of the canvas. */
  zoom(factor: number, px: number, py: number) {
    const ex = this.x + (px - this.area.x) / this.sx, ey = this.y + (py - this.area.y) / this.sy;
    const sx = Math.max(Math.min(this.fitX, this.sx), Math.min(largestX, this.sx * factor));
    const sy = Math.max(Math.min(this.fitY, this.sy), Math.min(largestY, this.sy * factor));
    if (factor < 1 && this.columns * this.sx * factor <= this.area.width && this.rows * this.sy * factor <= this.area.height) {
      this.fit();
      return;
    }
    this.sx = sx;
    this.sy = sy;
    this.x = ex - (px - this.area.x) / sx;
    this.y = ey - (py - this.area.y) / sy;
    this.fitted = false;
    this.clamp();
  }

  pan(dx: number, dy: number) {
    this.x -= dx / this.sx;
    this.y -= dy / this.sy;
    this.fitted = false;
    this.clamp();
  }

  center(cx: number, cy: number) {
    this.x = cx - this.area.width / this.sx / 2;
    this.y = cy - this.area.height / this.sy / 2;
    this.clamp();
  }

  /** Goes so near to an element that its number can be read. */
  goTo(row: number, column: number) {
    this.sx = Math.max(this.sx, Math.min(largestX, 48));
    this.sy = Math.max(this.sy, Math.min(largestY, 22));
    this.fitted = false;
    this.center(column + .5, row + .5);
  }

  private clamp() {
    const w = this.area.width / this.sx, h = this.area.height / this.sy;
    this.x = w >= this.columns ? (this.columns - w) / 2 : Math.max(0, Math.min(this.columns - w, this.x));
    this.y = h >= this.rows ? (this.rows - h) / 2 : Math.max(0, Math.min(this.rows - h, this.y));
  }

  /** The part of the area that the matrix covers, in pixels of the canvas. */
  get covered(): Area {
    const { area } = this;
    const x0 = Math.max(area.x, area.x - this.x * this.sx), y0 = Math.max(area.y, area.y - this.y * this.sy);
    const x1 = Math.min(area.x + area.width, area.x + (this.columns - this.x) * this.sx);
    const y1 = Math.min(area.y + area.height, area.y + (this.rows - this.y) * this.sy);
    return { x: x0, y: y0, width: Math.max(0, x1 - x0), height: Math.max(0, y1 - y0) };
  }

  /** The elements in view: half-open ranges. */
  get range() {
    const { area } = this;
    return {
      column0: Math.max(0, Math.floor(this.x)), column1: Math.min(this.columns, Math.ceil(this.x + area.width / this.sx)),
      row0: Math.max(0, Math.floor(this.y)), row1: Math.min(this.rows, Math.ceil(this.y + area.height / this.sy)),
    };
  }

  px(column: number) { return this.area.x + (column - this.x) * this.sx; }
  py(row: number) { return this.area.y + (row - this.y) * this.sy; }

  /** The element below a point of the canvas, or undefined. */
  at(px: number, py: number): { row: number; column: number } | undefined {
    const c = this.covered;
    if (px < c.x || py < c.y || px >= c.x + c.width || py >= c.y + c.height) return undefined;
    return {
      row: Math.min(this.rows - 1, Math.floor(this.y + (py - this.area.y) / this.sy)),
      column: Math.min(this.columns - 1, Math.floor(this.x + (px - this.area.x) / this.sx)),
    };
  }

  get text(): string {
    if (this.fitted) return "";
    const cx = this.x + this.area.width / this.sx / 2, cy = this.y + this.area.height / this.sy / 2;
    return [cx.toFixed(1), cy.toFixed(1), this.sx.toPrecision(4), this.sy.toPrecision(4)].join(",");
  }

  set text(s: string) {
    const [cx, cy, sx, sy] = s.split(",").map(Number);
    if (![cx, cy, sx, sy].every((n) => Number.isFinite(n)) || sx! <= 0 || sy! <= 0) return;
    this.sx = Math.min(largestX, sx!);
    this.sy = Math.min(largestY, sy!);
    this.fitted = false;
    this.center(cx!, cy!);
  }
}
