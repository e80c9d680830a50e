/** A file of the repository as one key: its model and its path in it. */
export const fileKey = (model: string, path: string) => `${model}/${path}`;
