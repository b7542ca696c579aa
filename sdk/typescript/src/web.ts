// A call in the browser: one offer, one answer, one data channel. It runs in pages, and needs a web token, or the session of whoever
// is signed in where the page is.

export type WebCallState = "idle" | "connecting" | "connected" | "interrupted" | "ended";
export type WebCallActivity = "listening" | "thinking" | "speaking" | "tool";

export interface Transcript {
  role: "user" | "assistant";
  text: string;
  at_ms: number;
  interrupted: boolean;
  latency_ms: number | null;
}

/** What a WebCall tells, by the names of its events; listen with `call.on(name, handler)`. */
export interface WebCallEvents {
  state: WebCallState;
  transcript: Transcript;
  /** What the assistant is saying, sentence by sentence, as it is heard. */
  caption: string;
  activity: { activity: WebCallActivity; tool?: string };
  /** How loud both sides are, from 0 to 1, ten times a second. */
  level: { microphone: number; assistant: number };
  /** Milliseconds from the end of the caller's words to the assistant's first sound. */
  latency: number;
  /** Keys that the assistant pressed. */
  keys: string;
  error: WebCallError;
}

/** How the line is: packets that were lost of those the assistant sent, and milliseconds. */
export interface WebCallQuality {
  lost: number;
  jitter: number;
  roundTrip: number;
}

/** code: microphone, refused (status says by what HTTP status), unreachable, disconnected. */
export class WebCallError extends Error {
  constructor(readonly code: "microphone" | "refused" | "unreachable" | "disconnected", message: string, readonly status?: number) {
    super(message);
    this.name = "WebCallError";
  }
}

export interface WebCallOptions {
  /** A web token of your server's (`POST /v1/web-tokens`), or a function that gets one. Without one, requests go as `fetch` sends them. */
  token?: string | (() => Promise<string>);
  /** Whom to talk with, where no token says so. */
  assistantID?: string;
  /** Where the API is. Default: where the page is. */
  baseURL?: string;
  /** Sends requests in place of the browser's own fetch. */
  fetch?: typeof fetch;
  /** The microphone to use, by its deviceId; false: none, and the person types. */
  microphone?: string | boolean;
  /** The loudspeaker to use, by its deviceId, where the browser lets pages choose. */
  speaker?: string;
  /** What fills {{name}} in the assistant's messages, under what the token says. */
  variables?: Record<string, string>;
  /** How the caller is named in the record. */
  visitor?: string;
  /** Recognise speech in the browser, for deployments without a recogniser: the words travel as captions. */
  recognise?: boolean;
  language?: string;
}

const connectWithin = 15_000;
const shakyFor = 8_000;

type Handler<T> = (value: T) => void;

interface Recogniser {
  lang: string;
  continuous: boolean;
  onresult: ((e: { resultIndex: number; results: ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }> }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
}

export class WebCall {
  state: WebCallState = "idle";
  /** The call's id, once it is answered. */
  callID: string | undefined;
  /** What is heard of the assistant; start() plays it by itself. */
  readonly audio: HTMLAudioElement;

  #handlers = new Map<keyof WebCallEvents, Set<Handler<never>>>();
  #peer: RTCPeerConnection | undefined;
  #data: RTCDataChannel | undefined;
  #microphone: MediaStream | undefined;
  #context: AudioContext | undefined;
  #meters: { microphone?: AnalyserNode; assistant?: AnalyserNode } = {};
  #recogniser: Recogniser | undefined;
  #timers = new Set<ReturnType<typeof setTimeout>>();
  #resource: string | undefined;
  #token: string | undefined;
  #muted = false;
  #recognising: boolean;

  constructor(readonly options: WebCallOptions) {
    this.#recognising = options.recognise ?? false;
    this.audio = new Audio();
    this.audio.autoplay = true;
  }

  /** The microphones and loudspeakers. Their labels are empty until the person has allowed the microphone once. */
  static async devices(): Promise<{ microphones: MediaDeviceInfo[]; speakers: MediaDeviceInfo[] }> {
    const all = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
    return { microphones: all.filter((d) => d.kind === "audioinput"), speakers: all.filter((d) => d.kind === "audiooutput") };
  }

  /** Calls handler with each event of a name, and returns what ends that. */
  on<K extends keyof WebCallEvents>(name: K, handler: Handler<WebCallEvents[K]>): () => void {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers);
    handlers.add(handler as Handler<never>);
    return () => handlers.delete(handler as Handler<never>);
  }

  /** Begins the call. Call it in the handler of a click, or browsers play no sound. It rejects with a WebCallError. */
  async start(): Promise<void> {
    if (this.state !== "idle") throw new Error("a WebCall starts once");
    this.#set("connecting");
    this.#context = new AudioContext();
    try {
      await this.#listen();
      await this.#connect();
    } catch (cause) {
      const error = cause instanceof WebCallError ? cause : new WebCallError("unreachable", String(cause));
      this.#finish(error);
      throw error;
    }
  }

  /** Leaves the call. */
  async end(): Promise<void> {
    const left = this.state !== "ended" && this.#leave(false);
    this.#send({ type: "hang-up" });
    this.#finish();
    await left;
  }

  /** Says a text in the caller's place: typing works whatever recogniser listens, and without a microphone. */
  say(text: string): void {
    this.#send({ type: "say", text: text.slice(0, 900) });
  }

  mute(muted: boolean): void {
    this.#muted = muted;
    for (const track of this.#microphone?.getAudioTracks() ?? []) track.enabled = !muted;
  }

  get muted(): boolean {
    return this.#muted;
  }

  /** Presses keys of a telephone: 0-9, * and #. */
  press(keys: string): void {
    const tones = this.#peer?.getSenders().find((s) => s.track?.kind === "audio")?.dtmf;
    if (tones?.canInsertDTMF) tones.insertDTMF(keys, 100, 70);
    else this.#send({ type: "keys", keys });
  }

  /** Goes on with another microphone. */
  async useMicrophone(deviceID: string): Promise<void> {
    const stream = await microphone(deviceID);
    const track = stream.getAudioTracks()[0];
    const sender = this.#peer?.getSenders().find((s) => s.track?.kind === "audio");
    if (!track || !sender) return;
    await sender.replaceTrack(track);
    for (const old of this.#microphone?.getTracks() ?? []) old.stop();
    this.#microphone = stream;
    this.mute(this.#muted);
    this.#meter("microphone", stream);
  }

  async useSpeaker(deviceID: string): Promise<void> {
    const sink = this.audio as HTMLAudioElement & { setSinkId?: (id: string) => Promise<void> };
    await sink.setSinkId?.(deviceID);
  }

  /** Has the browser recognise speech from now on, or not: see the option of that name. */
  recognise(on: boolean): void {
    this.#recognising = on;
    if (on) this.#recognise();
    else this.#stopRecognising();
  }

  /** How the line is; undefined before anything was heard. */
  async quality(): Promise<WebCallQuality | undefined> {
    const stats = [...((await this.#peer?.getStats()) ?? new Map<string, Record<string, unknown>>()).values()];
    const sound = stats.find(({ type }) => type === "inbound-rtp");
    const pair = stats.find(({ type, nominated }) => type === "candidate-pair" && nominated);
    return sound && {
      lost: Number(sound.packetsLost ?? 0), jitter: Number(sound.jitter ?? 0) * 1000, roundTrip: Number(pair?.currentRoundTripTime ?? 0) * 1000,
    };
  }

  async #listen(): Promise<void> {
    if (this.options.microphone === false) return;
    const wanted = typeof this.options.microphone === "string" ? this.options.microphone : undefined;
    this.#microphone = await microphone(wanted);
    this.#meter("microphone", this.#microphone);
  }

  async #connect(): Promise<void> {
    const peer = (this.#peer = new RTCPeerConnection()); // the answer names the server's address: no STUN
    const track = this.#microphone?.getAudioTracks()[0];
    if (track && this.#microphone) peer.addTrack(track, this.#microphone);
    else peer.addTransceiver("audio", { direction: "recvonly" });
    this.#data = peer.createDataChannel("callwright");
    this.#data.onopen = () => this.#follow(peer.connectionState);
    this.#data.onmessage = (e) => this.#receive(String(e.data));
    this.#data.onclose = () => this.#finish();
    peer.ontrack = (e) => this.#play(new MediaStream([e.track]));
    peer.onconnectionstatechange = () => this.#follow(peer.connectionState);
    await peer.setLocalDescription();
    const answer = await this.#offer(peer.localDescription?.sdp ?? "");
    if (this.state === "ended") return;
    await peer.setRemoteDescription({ type: "answer", sdp: answer });
    this.#after(connectWithin, () => {
      if (this.state === "connecting") this.#finish(new WebCallError("unreachable", "Neither UDP nor TCP reaches the server."));
    });
    addEventListener("pagehide", this.#hidden);
    if (this.options.speaker) await this.useSpeaker(this.options.speaker);
  }

  async #offer(sdp: string): Promise<string> {
    this.#token = typeof this.options.token === "function" ? await this.options.token() : this.options.token;
    const { assistantID, variables, visitor } = this.options;
    const response = await this.#request("/v1/calls/web", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ assistant_id: assistantID, sdp, variables, visitor }),
    });
    const body = (await response.json()) as { call_id: string; sdp: string; error?: { message: string } };
    if (!response.ok) throw new WebCallError("refused", body.error?.message ?? response.statusText, response.status);
    this.callID = body.call_id;
    this.#resource = `/v1/calls/web/${body.call_id}`;
    return body.sdp;
  }

  #request(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token) headers.set("Authorization", `Bearer ${this.#token}`);
    const url = (this.options.baseURL ?? "").replace(/\/$/, "") + path;
    return this.options.fetch ? this.options.fetch(url, { ...init, headers }) : fetch(url, { ...init, headers });
  }

  #follow(state: RTCPeerConnectionState): void {
    if (state === "connected") {
      if (this.#data?.readyState !== "open") return; // what is typed would be lost
      const first = this.state === "connecting";
      this.#set("connected");
      this.#recognise();
      if (first) this.#measure();
    } else if (state === "disconnected" && this.state === "connected") {
      this.#set("interrupted");
      this.#after(shakyFor, () => {
        if (this.state === "interrupted") this.#finish(new WebCallError("disconnected", "The connection to the assistant is lost."));
      });
    } else if (state === "failed") {
      this.#finish(new WebCallError(this.state === "connecting" ? "unreachable" : "disconnected", "The connection to the assistant is lost."));
    } else if (state === "closed") this.#finish();
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as { type: string; text?: string; keys?: string } & Transcript & { activity: WebCallActivity; tool?: string };
    switch (message.type) {
      case "transcript":
        this.#tell("transcript", message);
        if (message.latency_ms !== null) this.#tell("latency", message.latency_ms);
        break;
      case "activity":
        this.#tell("activity", message.tool ? { activity: message.activity, tool: message.tool } : { activity: message.activity });
        break;
      case "caption":
        this.#tell("caption", message.text ?? "");
        break;
      case "keys":
        this.#tell("keys", message.keys ?? "");
        break;
      case "hang-up":
        this.#finish();
    }
  }

  #play(stream: MediaStream): void {
    this.audio.srcObject = stream;
    void this.audio.play().catch(() => undefined); // a page that began no call in a click stays silent
    this.#meter("assistant", stream);
  }

  #meter(side: "microphone" | "assistant", stream: MediaStream): void {
    if (!this.#context) return;
    const analyser = this.#context.createAnalyser();
    this.#context.createMediaStreamSource(stream).connect(analyser);
    this.#meters[side] = analyser;
  }

  #measure(): void {
    const level = (analyser: AnalyserNode | undefined): number => {
      if (!analyser) return 0;
      const samples = new Float32Array(analyser.fftSize);
      analyser.getFloatTimeDomainData(samples);
      return Math.min(1, 6 * Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length));
    };
    this.#after(100, () => {
      this.#tell("level", { microphone: level(this.#meters.microphone), assistant: level(this.#meters.assistant) });
      this.#measure();
    });
  }

  /** Whether this browser recognises speech by itself. Some send the sound to a server of their maker's for that. */
  static get recognises(): boolean {
    return "webkitSpeechRecognition" in globalThis || "SpeechRecognition" in globalThis;
  }

  #recognise(): void {
    if (!this.#recognising || this.state !== "connected" || !WebCall.recognises || this.#recogniser) return;
    const known = globalThis as unknown as Record<string, new () => Recogniser>;
    const Maker = known.SpeechRecognition ?? known.webkitSpeechRecognition;
    if (!Maker) return;
    const recogniser = (this.#recogniser = new Maker());
    recogniser.lang = this.options.language ?? navigator.language;
    recogniser.continuous = true;
    recogniser.onresult = (e) => {
      for (let i = e.resultIndex; i < e.results.length; i++) {
        const result = e.results[i];
        if (result?.isFinal && !this.#muted) this.#send({ type: "caption", text: (result[0]?.transcript ?? "").trim().slice(0, 900) + "\n" });
      }
    };
    recogniser.onend = () => {
      if (this.state === "connected" && this.#recogniser === recogniser) recogniser.start(); // browsers stop by themselves
    };
    recogniser.start();
  }

  #stopRecognising(): void {
    const recogniser = this.#recogniser;
    this.#recogniser = undefined;
    recogniser?.stop();
  }

  #send(message: object): void {
    if (this.#data?.readyState === "open") this.#data.send(JSON.stringify(message));
  }

  #hidden = (): void => void this.#leave(true);

  async #leave(keepalive: boolean): Promise<void> {
    if (!this.#resource) return;
    await this.#request(this.#resource, { method: "DELETE", keepalive }).catch(() => undefined);
  }

  #finish(error?: WebCallError): void {
    if (this.state === "ended") return;
    if (error) this.#tell("error", error);
    this.#set("ended");
    removeEventListener("pagehide", this.#hidden);
    this.#timers.forEach(clearTimeout);
    this.#stopRecognising();
    this.audio.srcObject = null;
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    void this.#context?.close();
    const peer = this.#peer;
    setTimeout(() => peer?.close(), 200); // what was sent last may leave
  }

  #after(ms: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, ms);
    this.#timers.add(timer);
  }

  #set(state: WebCallState): void {
    if (this.state === state) return;
    this.state = state;
    this.#tell("state", state);
  }

  #tell<K extends keyof WebCallEvents>(name: K, value: WebCallEvents[K]): void {
    for (const handler of this.#handlers.get(name) ?? []) (handler as Handler<WebCallEvents[K]>)(value);
  }
}

async function microphone(deviceID?: string): Promise<MediaStream> {
  if (!navigator.mediaDevices) {
    throw new WebCallError("microphone", "Browsers give the microphone to pages of https and of this machine alone.");
  }
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...(deviceID ? { deviceId: { exact: deviceID } } : {}) };
  return navigator.mediaDevices.getUserMedia({ audio }).catch((cause: Error) => {
    throw new WebCallError("microphone", cause.name === "NotAllowedError" ? "The microphone is blocked." : cause.message);
  });
}
