/** Decodes and converts pictures where it does not hold up the page. */
import { answerWith } from "./helper";
import { createWork, decodeAlone } from "./pictureWork";

answerWith(createWork(decodeAlone));
