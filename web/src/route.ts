// Where the person is: the fragment of the address, which has a path and, behind "?", filters. No server sees it.
import { useEffect, useState } from "preact/hooks";

export interface Route {
  path: string;
  query: URLSearchParams;
}

type Query = Record<string, string | undefined>;

export function current(): Route {
  const [path = "", query = ""] = location.hash.slice(1).split("?");
  return { path: path || "/", query: new URLSearchParams(query) };
}

let now = current();
const followers = new Set<(route: Route) => void>();

// One listener for all: a list that heard of another address before its screen did would ask for a page that nobody wants.
addEventListener("hashchange", () => {
  now = current();
  followers.forEach((set) => set(now));
});

export function useRoute(): Route {
  const [route, set] = useState(now);
  useEffect(() => {
    followers.add(set);
    set(now); // it may have changed between drawing and here
    return () => void followers.delete(set);
  }, []);
  return route;
}

export function href(path: string, query: Query = {}): string {
  const text = new URLSearchParams(Object.entries(query).filter((pair): pair is [string, string] => !!pair[1])).toString();
  return `#${path}${text ? `?${text}` : ""}`;
}

/** Goes to a screen. */
export function go(path: string, query?: Query): void {
  location.hash = href(path, query);
}

/** Changes filters of the screen; another filter begins at the first page. */
export function filter(changes: Query): void {
  const { path, query } = current();
  const { cursor: _, ...kept } = Object.fromEntries(query);
  location.replace(href(path, { ...kept, ...changes }));
}
