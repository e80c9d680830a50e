export interface FileId {
  model: string;
  path: string;
}
