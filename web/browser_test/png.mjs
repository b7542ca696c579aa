// Makes pictures of screens small: 256 colors, the most frequent ones, packed as well as it goes. It reads what Chromium writes, which
// has 8 bits for a color and is not interlaced.
import { deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

export function shrink(png) {
  const { width, height, depth, pixels } = unpack(png);
  const counts = new Map();
  const colors = new Uint32Array(width * height).map((_, i) => (pixels[i * depth] << 16) | (pixels[i * depth + 1] << 8) | pixels[i * depth + 2]);
  colors.forEach((color) => counts.set(color, (counts.get(color) ?? 0) + 1));
  const palette = [...counts].sort(([, a], [, b]) => b - a).slice(0, 256).map(([color]) => color);
  const index = new Map([...counts.keys()].map((color) => [color, nearest(palette, color)]));
  const rows = Buffer.alloc((width + 1) * height); // each begins with its filter: none
  colors.forEach((color, i) => { rows[i + Math.floor(i / width) + 1] = index.get(color); });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8); // bits, a palette
  const table = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([signature, chunk("IHDR", head), chunk("PLTE", table), chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

function nearest(palette, color) {
  const far = (a, b, shift) => (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2;
  const distance = (other) => far(color, other, 16) + far(color, other, 8) + far(color, other, 0);
  return palette.reduce((best, other, i) => (distance(other) < distance(palette[best]) ? i : best), 0);
}

function unpack(png) {
  const [width, height, depth] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3];
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") {
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    }
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * depth;
  const pixels = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x < depth ? 0 : pixels[y * stride + x - depth];
      const up = y === 0 ? 0 : pixels[(y - 1) * stride + x];
      const corner = x < depth || y === 0 ? 0 : pixels[(y - 1) * stride + x - depth];
      pixels[y * stride + x] = raw[y * (stride + 1) + 1 + x] + predicted(filter, left, up, corner);
    }
  }
  return { width, height, depth, pixels };
}

/** What a byte is foretold to be by its neighbours, by the filters of PNG (section 9). */
function predicted(filter, left, up, corner) {
  switch (filter) {
    case 1: return left;
    case 2: return up;
    case 3: return (left + up) >> 1;
    case 4: {
      const guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      return a <= b && a <= c ? left : b <= c ? up : corner;
    }
    default: return 0;
  }
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

function crc(data) {
  let value = -1;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
    }
  }
  return ~value >>> 0;
}
