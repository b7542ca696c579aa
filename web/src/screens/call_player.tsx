import { useEffect, useRef } from "preact/hooks";
import { t } from "../text/text.js";

interface PlayerProps {
  url: string;
  onTime: (seconds: number) => void;
  seek: { current: ((seconds: number) => void) | undefined };
}

/** The recording: the caller above, the assistant below. */
export function Player({ url, onTime, seek }: PlayerProps) {
  const box = useRef<HTMLDivElement>(null);
  const audio = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    let gone = false;
    let destroy = () => {};
    void draw(box.current!, audio.current!, url).then((wave) => {
      if (gone) {
        wave.destroy();
        return;
      }
      destroy = () => wave.destroy();
      wave.on("timeupdate", onTime);
      wave.on("ready", () => box.current?.setAttribute("data-ready", ""));
      seek.current = (seconds) => {
        wave.setTime(seconds);
        void wave.play();
      };
    });
    return () => {
      gone = true;
      seek.current = undefined;
      destroy();
    };
  }, [url]);
  return (
    <figure>
      <figcaption>{t("Recording: the caller above, the assistant below")}</figcaption>
      <div ref={box} class="wave" aria-hidden="true" />
      <audio ref={audio} controls preload="metadata" src={url} aria-label={t("Recording")} />
    </figure>
  );
}

// Only who looks at a recording loads what draws it. The colours are resolved: a canvas knows no light-dark().
async function draw(container: HTMLElement, media: HTMLAudioElement, url: string) {
  const { default: WaveSurfer } = await import("wavesurfer.js");
  const colour = (of: string) => {
    container.style.color = `var(--${of})`;
    return getComputedStyle(container).color;
  };
  const progressColor = colour("accent");
  return WaveSurfer.create({
    container, media, url, height: 44, barWidth: 2, barGap: 1, normalize: true, progressColor, cursorColor: progressColor,
    splitChannels: [{ waveColor: colour("user"), progressColor }, { waveColor: colour("assistant"), progressColor }],
  });
}
