// The part of the canvas API that chart painters use, so that the same painter can also write an SVG file.

export interface Pen {
  strokeStyle: unknown;
  fillStyle: unknown;
  lineWidth: number;
  globalAlpha: number;
  lineJoin: CanvasLineJoin;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  clearRect(x: number, y: number, w: number, h: number): void;
  save(): void;
  restore(): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
  rect(x: number, y: number, w: number, h: number): void;
  arc(x: number, y: number, r: number, from: number, to: number): void;
  clip(): void;
  stroke(): void;
  fill(): void;
  fillText(text: string, x: number, y: number): void;
  measureText(text: string): { width: number };
  setLineDash(dash: number[]): void;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const px = (value: number): string => String(Number(value.toFixed(2)));

/** A pen that writes SVG. It assumes that a character is 6 px wide, which is exact enough to place tick labels. */
export class SvgPen implements Pen {
  strokeStyle = "#000";
  fillStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  lineJoin: CanvasLineJoin = "miter";
  font = "11px sans-serif";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  private dash: number[] = [];
  private path = "";
  private body = "";
  private clips = 0;
  private open: number[] = []; // The number of open <g> elements for each save().

  clearRect(): void {}
  save(): void {
    this.open.push(0);
  }
  restore(): void {
    this.body += "</g>".repeat(this.open.pop() ?? 0);
  }
  beginPath(): void {
    this.path = "";
  }
  moveTo(x: number, y: number): void {
    this.path += `M${px(x)} ${px(y)}`;
  }
  lineTo(x: number, y: number): void {
    this.path += `L${px(x)} ${px(y)}`;
  }
  closePath(): void {
    this.path += "Z";
  }
  rect(x: number, y: number, w: number, h: number): void {
    this.path += `M${px(x)} ${px(y)}h${px(w)}v${px(h)}h${px(-w)}z`;
  }
  arc(x: number, y: number, r: number): void {
    this.path += `M${px(x - r)} ${px(y)}a${px(r)} ${px(r)} 0 1 0 ${px(2 * r)} 0a${px(r)} ${px(r)} 0 1 0 ${px(-2 * r)} 0`;
  }
  clip(): void {
    this.clips += 1;
    this.body += `<clipPath id="clip${this.clips}"><path d="${this.path}"/></clipPath><g clip-path="url(#clip${this.clips})">`;
    const last = this.open.length - 1;
    if (last >= 0) this.open[last] = (this.open[last] ?? 0) + 1;
  }
  stroke(): void {
    if (this.path === "") return;
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.body += `<path d="${this.path}" fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}"${this.opacity()}${dash}/>`;
  }
  fill(): void {
    if (this.path !== "") this.body += `<path d="${this.path}" fill="${escaped(this.fillStyle)}"${this.opacity()}/>`;
  }
  fillText(text: string, x: number, y: number): void {
    const anchor = { left: "start", start: "start", center: "middle", right: "end", end: "end" }[this.textAlign];
    const drop = this.textBaseline === "middle" ? 4 : 0;
    this.body += `<text x="${px(x)}" y="${px(y + drop)}" text-anchor="${anchor}" fill="${escaped(this.fillStyle)}"${this.opacity()}>${escaped(text)}</text>`;
  }
  measureText(text: string): { width: number } {
    return { width: text.length * 6 };
  }
  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  /** The whole drawing as SVG on a background of colour `paper`, moved down by `top` pixels. */
  take(width: number, height: number, paper: string, top = 0): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" style="font:${escaped(this.font)}">` +
      `<rect width="100%" height="100%" fill="${escaped(paper)}"/>` +
      (top > 0 ? `<g transform="translate(0 ${top})">${this.body}</g></svg>` : `${this.body}</svg>`)
    );
  }

  private opacity(): string {
    return this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
  }
}
