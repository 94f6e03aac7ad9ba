// A tiny base model on this machine behind OpenAI's chat API: node server.mjs MODEL.gguf REPLIES.jsonl
// It prints its address, answers one request after the other and notes each reply in a line of the
// file. Tools are told by name; what reads like a call of one comes back as a call, with whatever
// arguments were written. Where a form is asked for, the reply has that form: only the texts babble.
import { appendFileSync } from "node:fs";
import http from "node:http";
import { getLlama, LlamaCompletion } from "node-llama-cpp";

const HEAD = 192, TAIL = 448, MOST = 40; // tokens of a prompt's beginning and end, and of a reply
const FORM_MOST = 400; // tokens of a reply in a form
const TURNS = { assistant: "model", system: "user", tool: "user" };

const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: "error" });
const model = await llama.loadModel({ modelPath: process.argv[2] });
const context = await model.createContext({ contextSize: 1280, threads: 1 });
const sequence = context.getSequence();
const completion = new LlamaCompletion({ contextSequence: sequence });

// Translations ask for a form, trials and judges give a seed, a mere try of the endpoint neither.
const role = (request) => request.response_format ? "translation" : request.seed === undefined ? "try" : "run";
const turn = (role, text) => `<start_of_turn>${role}\n${text}<end_of_turn>\n`;

function prompt({ messages, tools = [] }) {
  const said = messages.map((message) => {
    const calls = message.tool_calls?.map((call) => `${call.function.name}(${call.function.arguments})`);
    return turn(TURNS[message.role] ?? message.role, [message.content, ...(calls ?? [])].join("\n"));
  });
  const known = tools.map((tool) => tool.function.name).join(" ");
  const tokens = model.tokenize((known && turn("user", `Tools: ${known}`)) + said.join("") + "<start_of_turn>model\n", true);
  return tokens.length > HEAD + TAIL ? [...tokens.slice(0, HEAD), ...tokens.slice(-TAIL)] : tokens;
}

// Texts and lists of a form end: the model alone would go on for ever.
const bounded = (form) => JSON.parse(JSON.stringify(form), (_, part) =>
  part?.type === "string" && !part.enum ? { ...part, maxLength: 40 } : part?.type === "array" ? { ...part, minItems: 8, maxItems: 8 } : part);

async function answer(request) {
  const tokens = prompt(request);
  const form = request.response_format?.json_schema?.schema;
  const grammar = form && await llama.createGrammarForJsonSchema(bounded(form));
  await sequence.clearHistory();
  const { response, metadata } = await completion.generateCompletionWithMeta(tokens, {
    maxTokens: form ? FORM_MOST : Math.min(request.max_tokens ?? MOST, MOST), grammar, temperature: 0.8, seed: request.seed ?? 1,
    customStopTriggers: ["<end_of_turn>", "<start_of_turn>"],
  });
  const call = /(\w+)\((.*?)\)/s.exec(response);
  const isCall = (request.tools ?? []).some((tool) => tool.function.name === call?.[1]);
  const message = { role: "assistant", content: response };
  if (isCall) message.tool_calls = [{ id: "", type: "function", function: { name: call[1], arguments: call[2] } }];
  const written = model.tokenize(response).length;
  appendFileSync(process.argv[3], JSON.stringify({ role: role(request), text: response, in: tokens.length, out: written }) + "\n");
  return {
    id: `babble-${Date.now()}`, object: "chat.completion", created: Math.floor(Date.now() / 1000), model: request.model,
    choices: [{ index: 0, message, finish_reason: isCall ? "tool_calls" : metadata.stopReason === "maxTokens" ? "length" : "stop" }],
    usage: { prompt_tokens: tokens.length, completion_tokens: written, total_tokens: tokens.length + written },
  };
}

let turns = Promise.resolve(); // one reply after the other
http.createServer(async (asked, reply) => {
  let body = "";
  for await (const part of asked.setEncoding("utf8")) body += part;
  turns = turns.then(() => answer(JSON.parse(body))).then((said) => [200, said], (error) => [500, { error: { message: String(error) } }]);
  const [status, said] = await turns;
  reply.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(said));
}).listen(0, "127.0.0.1", function () { console.log(`http://127.0.0.1:${this.address().port}/v1`); });
