// A worker made from a program's text: a page opened from the disk may load no worker by its address.

/** A worker that has said hello; rejects where the page's policy allows none. @param {string} program @returns {Promise<Worker>} */
export async function workerFrom(program) {
  const url = URL.createObjectURL(new Blob([`${program}\npostMessage(null);`], { type: "text/javascript" }));
  const worker = new Worker(url);
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = reject;
  }).finally(() => URL.revokeObjectURL(url));
  return worker;
}
