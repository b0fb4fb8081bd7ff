export const PASSKEY_SCRIPT_PATH = "/assets/passkeys.js";

/**
 * Hands what a form asks for to the browser's passkeys and sends the form with what they
 * answer. Without it, or where a browser knows no passkeys, its buttons stay hidden and everything else works.
 *
 * @source `PublicKeyCredential.parse…FromJSON` and `toJSON`: Web Authentication Level 3, 5.1.
 */
export const PASSKEY_SCRIPT = `const canAsk = typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

for (const form of canAsk ? document.querySelectorAll("form[data-passkey]") : []) {
  const button = form.querySelector("button[data-sign]");
  button.hidden = false;
  button.addEventListener("click", async (event) => {
    event.preventDefault();
    if (!form.reportValidity()) return;
    button.disabled = true;
    try {
      form.elements.passkey.value = JSON.stringify(await ask(form));
      form.submit();
    } catch (error) {
      form.querySelector("[data-trouble]").textContent = "The passkey was not used: " + error.message;
      button.disabled = false;
    }
  });
}

function ask(form) {
  const options = JSON.parse(form.dataset.options);
  if (form.dataset.passkey === "register") {
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  }
  const { challenge } = form.elements.share.selectedOptions[0].dataset;
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON({ ...options, challenge }) });
}
`;
