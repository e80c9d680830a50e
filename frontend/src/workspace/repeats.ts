/** Whether a message says all of another one, also where only one of them begins with a capital. */
export const repeats = (message: string, other: string): boolean =>
  message.toLowerCase().includes(other.toLowerCase());
