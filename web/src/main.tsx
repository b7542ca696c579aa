import { render } from "preact";
import { App } from "./app.js";
import { resume } from "./session.js";
import "./style.css";

render(<App />, document.getElementById("app")!);
void resume();
