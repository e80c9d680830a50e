/** Whether a message says all of another one, which may begin with a capital where it stands alone. */
export const repeats = (message: string, other: string): boolean =>
  message.toLowerCase().includes(other.toLowerCase());
