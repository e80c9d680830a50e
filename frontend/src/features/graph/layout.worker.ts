/** Lays graphs out where it does not hold up the page. */
import { answerWith } from "../../lib/helper";
import { layered } from "./layered";
import type { Plan } from "./layout";

answerWith(({ boxes, lines }: Plan) => layered(boxes, lines));
