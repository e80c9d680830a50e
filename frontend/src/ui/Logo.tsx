/** The shell. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <path
        d="M10 1.8c4.6 0 8 3.3 8 7.7 0 4.7-3.6 8.7-8.2 8.7-3.5 0-6-2.3-6-5.2 0-2.5 1.9-4.4 4.3-4.4 1.9 0 3.3 1.3 3.3 3 0 1.3-.9 2.3-2.1 2.3"
        fill="none"
        stroke="#e4765b"
        strokeWidth="2.3"
        strokeLinecap="round"
      />
    </svg>
  );
}
