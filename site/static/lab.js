// In the lab: Python comes from another host. Where that cannot be reached no cell runs, and JupyterLite does not say why.
{
  const python = new URL(document.currentScript.dataset.python);
  fetch(python, { method: "HEAD" })
    .then((answer) => {
      if (!answer.ok) throw new Error(answer.status);
    })
    .catch(() => {
      const box = document.createElement("div");
      box.setAttribute("role", "alert");
      box.id = "no-python";
      box.style = "position:fixed;inset:auto 0 0 0;z-index:10000;padding:10px 16px;background:#fdeed3;color:#1b2733;" +
        "border-top:3px solid #c77f00;font:15px/1.45 Helvetica,Arial,sans-serif";
      box.innerHTML =
        "<b>Python cannot be fetched, so no cell will run here.</b> It comes from <code></code>. Is this computer online, or does a " +
        "filter block that address? Then reload the page. The lessons can be read without it, and on your own machine nothing is " +
        'fetched: <a style="color:#00588a" href="../../lab.html">how the lab works</a>. <button type="button">Close</button>';
      box.querySelector("code").textContent = python.host;
      box.querySelector("button").onclick = () => box.remove();
      document.body.append(box);
    });
}
