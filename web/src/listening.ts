// Listening in on a live call: its sound, the person's microphone once it is needed, and a data channel that says what is done.
import { cw } from "./client.js";

export type Mode = "listen" | "whisper" | "barge";

/** What the server tells of it, by the data channel. why: the mode is not the one that was asked for. */
type Told = { type: "mode"; mode: Mode; why?: string } | { type: "hang-up" };

interface Hearer {
  changed: (mode: Mode, why: string | undefined) => void;
  ended: () => void;
}

export class Listening {
  private readonly peer = new RTCPeerConnection();
  private readonly channel = this.peer.createDataChannel("callwright");
  private readonly sender = this.peer.addTransceiver("audio", { direction: "sendrecv" }).sender;
  private readonly sound = new Audio();
  private microphone: MediaStream | undefined;
  private mode: Mode = "listen";
  over = false;
  private id = "";

  private constructor(private readonly callID: string, private readonly hearer: Hearer) {
    this.peer.ontrack = ({ track }) => {
      this.sound.srcObject = new MediaStream([track]);
      void this.sound.play().catch(() => undefined); // it was stopped at once
    };
    this.peer.onconnectionstatechange = () => ["failed", "closed", "disconnected"].includes(this.peer.connectionState) && this.end();
    this.channel.onclose = () => this.end();
    this.channel.onmessage = ({ data }) => this.hear(JSON.parse(String(data)) as Told);
  }

  /** Begins to listen to a call. It is called from a click: else no sound may be played. */
  static async start(callID: string, mode: Mode, hearer: Hearer): Promise<Listening> {
    const listening = new Listening(callID, hearer);
    try {
      await listening.speak(mode);
      await listening.peer.setLocalDescription();
      const { id, sdp } = await cw.createCallListener(callID, { sdp: listening.peer.localDescription!.sdp, mode });
      listening.id = id;
      await listening.peer.setRemoteDescription({ type: "answer", sdp });
      return listening;
    } catch (error) {
      listening.over = true;
      listening.close();
      throw error;
    }
  }

  /** Asks for another mode. The hearer is told when it is so. */
  async change(mode: Mode): Promise<void> {
    await this.speak(mode);
    try {
      await cw.patchCallListener(this.callID, this.id, { mode });
    } catch (error) {
      await this.speak(this.mode);
      throw error;
    }
  }

  /** Gives the assistant an instruction in writing. */
  whisper(text: string): void {
    this.channel.send(JSON.stringify({ type: "say", text }));
  }

  stop(): void {
    if (this.channel.readyState === "open") {
      this.channel.send(JSON.stringify({ type: "hang-up" }));
    }
    if (this.id) {
      void cw.deleteCallListener(this.callID, this.id).catch(() => undefined); // it may be over, by that message
    }
    this.end();
  }

  /** Opens the microphone for a mode that needs it, and closes it for one that does not. Without one an instruction is typed. */
  private async speak(mode: Mode): Promise<void> {
    if (mode === "listen") {
      this.microphone?.getTracks().forEach((track) => track.stop());
      this.microphone = undefined;
    } else if (!this.microphone) {
      try {
        this.microphone = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true } });
      } catch (error) {
        if (mode === "barge") {
          throw error;
        }
      }
    }
    await this.sender.replaceTrack(this.microphone?.getAudioTracks()[0] ?? null);
  }

  private hear(what: Told): void {
    if (what.type === "hang-up") {
      this.end();
    } else if (what.type === "mode") {
      this.mode = what.mode;
      this.hearer.changed(what.mode, what.why);
      if (what.mode === "listen") {
        void this.speak("listen");
      }
    }
  }

  private end(): void {
    if (!this.over) {
      this.over = true;
      this.close();
      this.hearer.ended();
    }
  }

  private close(): void {
    this.peer.close();
    this.sound.srcObject = null;
    this.microphone?.getTracks().forEach((track) => track.stop());
  }
}
