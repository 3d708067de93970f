// Ask the program that serves the page: a report of plain values, answered by plain values.
"use strict";

async function report(message) {
  const response = await fetch("report", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(message),
  });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response.json();
}
