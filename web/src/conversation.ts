// A web call: a person's microphone and loudspeaker, and a data channel beside them for what is typed, pressed and told.
import { cw } from "./client.js";

/** What the server tells of a call while it goes on, by the data channel. */
export type Told =
  | { type: "transcript"; role: "user" | "assistant" | "system" | "tool"; text: string; at_ms: number; interrupted: boolean; latency_ms: number | null }
  | { type: "activity"; activity: "listening" | "thinking" | "speaking" | "tool"; tool?: string }
  | { type: "caption"; text: string }
  | { type: "keys"; keys: string }
  | { type: "hang-up" };

export interface Quality {
  lost: number;
  jitter: number;
  roundTrip: number;
}

interface Listener {
  told: (what: Told) => void;
  connected: () => void;
  ended: () => void;
}

export class Conversation {
  private readonly peer = new RTCPeerConnection();
  private readonly channel = this.peer.createDataChannel("callwright");
  private readonly sound = new Audio();
  private over = false;
  callID = "";

  private constructor(private readonly microphone: MediaStream | undefined, private readonly listener: Listener) {
    const track = microphone?.getAudioTracks()[0];
    this.peer.addTransceiver(track ?? "audio", track ? { direction: "sendrecv", streams: [microphone!] } : { direction: "recvonly" });
    this.peer.ontrack = ({ track: theirs }) => {
      this.sound.srcObject = new MediaStream([theirs]);
      void this.sound.play();
    };
    this.peer.onconnectionstatechange = () => this.changed();
    this.channel.onopen = () => listener.connected();
    this.channel.onclose = () => this.end();
    this.channel.onmessage = ({ data }) => this.hear(JSON.parse(String(data)) as Told);
  }

  /** Calls an assistant. Without a microphone the person types. It is called from a click: else no sound may be played. */
  static async start(assistantID: string, microphone: MediaStream | undefined, listener: Listener): Promise<Conversation> {
    const call = new Conversation(microphone, listener);
    try {
      await call.peer.setLocalDescription();
      const { call_id, sdp } = await cw.createWebCall({ assistant_id: assistantID, sdp: call.peer.localDescription!.sdp });
      call.callID = call_id;
      await call.peer.setRemoteDescription({ type: "answer", sdp });
      return call;
    } catch (error) {
      call.over = true;
      call.close();
      throw error;
    }
  }

  private hear(what: Told): void {
    if (what.type === "hang-up") {
      this.end();
    } else {
      this.listener.told(what);
    }
  }

  private changed(): void {
    if (["failed", "closed", "disconnected"].includes(this.peer.connectionState)) {
      this.end();
    }
  }

  private end(): void {
    if (!this.over) {
      this.over = true;
      this.close();
      this.listener.ended();
    }
  }

  private close(): void {
    this.peer.close();
    this.sound.srcObject = null;
    this.microphone?.getTracks().forEach((track) => track.stop());
  }

  private send(message: { type: string; text?: string; keys?: string }): void {
    if (this.channel.readyState === "open") {
      this.channel.send(JSON.stringify(message));
    }
  }

  /** Says what was typed. */
  say(text: string): void {
    this.send({ type: "say", text });
  }

  /** Hands in a sentence that the browser's own recogniser heard. */
  caption(text: string): void {
    this.send({ type: "caption", text: `${text}\n` });
  }

  press(key: string): void {
    const dtmf = this.microphone && this.peer.getSenders()[0]?.dtmf;
    if (dtmf?.canInsertDTMF) {
      dtmf.insertDTMF(dtmf.toneBuffer + key);
    } else {
      this.send({ type: "keys", keys: key });
    }
  }

  mute(on: boolean): void {
    this.microphone?.getAudioTracks().forEach((track) => { track.enabled = !on; });
  }

  hangUp(): void {
    this.send({ type: "hang-up" });
    void cw.leaveWebCall(this.callID).catch(() => undefined); // it may be over, by that message
    this.end();
  }

  /** Returns how the line is; undefined before anything was received. */
  async quality(): Promise<Quality | undefined> {
    const stats = [...((await this.peer.getStats()) as unknown as Map<string, Record<string, number | string>>).values()];
    const sound = stats.find(({ type }) => type === "inbound-rtp");
    const pair = stats.find(({ type, nominated }) => type === "candidate-pair" && nominated);
    return sound && {
      lost: Number(sound["packetsLost"] ?? 0), jitter: Number(sound["jitter"] ?? 0) * 1000, roundTrip: Number(pair?.["currentRoundTripTime"] ?? 0) * 1000,
    };
  }
}
