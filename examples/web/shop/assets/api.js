import { notice } from './dom.js';

/** The server answered with an error, or did not answer. */
export class ApiError extends Error {}

/** Calls the shop's JSON interface. */
export async function api(path, { method = 'GET', body } = {}) {
  let response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: body ? { 'Content-Type': 'application/json' } : {},
      body: body && JSON.stringify(body),
    });
    if (response.ok) return await response.json();
  } catch {
    throw new ApiError('The shop did not answer. Please try again.');
  }
  throw new ApiError(`Something went wrong (${response.status}). Please try again.`);
}

export const post = (path, body = {}) => api(path, { method: 'POST', body });

/** Wraps an event listener: interface errors become a notice, anything else stays uncaught. */
export function act(listener) {
  return async (event) => {
    try {
      await listener(event);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      notice(error.message);
    }
  };
}
