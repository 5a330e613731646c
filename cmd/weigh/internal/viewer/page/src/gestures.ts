// Pointer, wheel and keys move the camera of a heat map.

import { useEffect, useRef } from "preact/hooks";
import type { Camera } from "./camera";

type Cursor = { row: number; column: number } | undefined;

export function useGestures(canvas: { current: HTMLCanvasElement | null }, camera: Camera, moved: () => void, setCursor: (c: Cursor) => void) {
  const latest = useRef(moved);
  latest.current = moved;
  useEffect(() => {
    const e = canvas.current;
    if (!e) return;
    const pointers = new Map<number, { x: number; y: number }>();
    const place = (p: PointerEvent | WheelEvent) => {
      const box = e.getBoundingClientRect();
      return { x: p.clientX - box.left, y: p.clientY - box.top };
    };
    // With the whole matrix in view, a finger scrolls the page.
    const touch = () => { e.style.touchAction = camera.fitted ? "pan-y" : "none"; };
    const change = () => { touch(); latest.current(); };
    const down = (p: PointerEvent) => {
      pointers.set(p.pointerId, place(p));
      e.setPointerCapture(p.pointerId);
    };
    const move = (p: PointerEvent) => {
      const at = place(p), old = pointers.get(p.pointerId);
      if (!old) { setCursor(camera.at(at.x, at.y)); return; }
      if (pointers.size === 1) {
        if (at.x === old.x && at.y === old.y) return;
        if (!camera.fitted) { camera.pan(at.x - old.x, at.y - old.y); change(); }
        setCursor(camera.at(at.x, at.y));
      } else if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== p.pointerId)![1];
        const before = Math.hypot(old.x - other.x, old.y - other.y), now = Math.hypot(at.x - other.x, at.y - other.y);
        camera.zoom(now / Math.max(1, before), (at.x + other.x) / 2, (at.y + other.y) / 2);
        camera.pan((at.x - old.x) / 2, (at.y - old.y) / 2);
        change();
      }
      pointers.set(p.pointerId, at);
    };
    const up = (p: PointerEvent) => { pointers.delete(p.pointerId); };
    const leave = () => setCursor(undefined);
    const wheel = (w: WheelEvent) => {
      const factor = Math.exp(-w.deltaY * (w.deltaMode === 1 ? .05 : .002) * (w.ctrlKey ? 4 : 1));
      if (camera.fitted && factor < 1) return; // the page scrolls
      w.preventDefault();
      const at = place(w);
      camera.zoom(factor, at.x, at.y);
      setCursor(camera.at(at.x, at.y));
      change();
    };
    const double = (m: MouseEvent) => {
      const box = e.getBoundingClientRect();
      camera.zoom(4, m.clientX - box.left, m.clientY - box.top);
      change();
    };
    const key = (k: KeyboardEvent) => {
      if (k.ctrlKey || k.metaKey || k.altKey) return;
      const { area } = camera, step = Math.min(area.width, area.height) / 5;
      const moves: Record<string, [number, number]> = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      const cx = area.x + area.width / 2, cy = area.y + area.height / 2;
      if (k.key in moves) {
        if (camera.fitted) return;
        camera.pan(...moves[k.key]!);
      } else if (k.key === "+" || k.key === "=") camera.zoom(2, cx, cy);
      else if (k.key === "-") camera.zoom(1 / 2, cx, cy);
      else if (k.key === "0") camera.fit();
      else return;
      k.preventDefault();
      change();
    };
    touch();
    const listeners: [string, EventListener][] = [
      ["pointerdown", down as EventListener], ["pointermove", move as EventListener], ["pointerup", up as EventListener],
      ["pointercancel", up as EventListener], ["pointerleave", leave], ["wheel", wheel as EventListener],
      ["dblclick", double as EventListener], ["keydown", key as EventListener],
    ];
    for (const [name, f] of listeners) e.addEventListener(name, f, { passive: false });
    return () => { for (const [name, f] of listeners) e.removeEventListener(name, f); };
  }, [camera]);
}
