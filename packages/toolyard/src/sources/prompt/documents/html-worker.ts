/** The thread in which one page of HTML is read. */
import { parentPort } from "node:worker_threads"
import { readHtmlPage } from "./html.ts"

export interface HtmlText {
  html: string
  url: string
}

parentPort?.once("message", ({ html, url }: HtmlText) => parentPort?.postMessage(readHtmlPage(html, url)))
parentPort?.postMessage("ready")
