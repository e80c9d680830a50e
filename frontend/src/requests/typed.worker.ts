/** Reads long texts where it does not hold up the page. */
import { answerWith } from "../lib/helper";
import { answer } from "./typed";

answerWith(answer);
