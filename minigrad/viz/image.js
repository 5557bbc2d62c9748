// What each drawing does where scripts may run: it is as dark as the page behind it and its own paper, and a click shows it as large
// as the window.
let dark = false;
for (let e = this, c; e = e.parentElement;)
if (!e.dataset.paper && ((c = getComputedStyle(e).backgroundColor.match(/[\d.]+/g).map(Number)).length < 4 || c[3])) {
dark = c[0] + c[1] + c[2] < 380;
break;
}
if (dark) this.style.colorScheme = this.parentNode.style.colorScheme = 'dark';
this.style.cursor = 'zoom-in';
this.tabIndex = 0;
this.dataset.lmSuppressShortcuts = true;
this.setAttribute('role', 'button');
this.setAttribute('aria-label', 'Enlarge: ' + this.alt);
this.onclick ||= () => {
const box = document.body.appendChild(document.createElement('dialog')), large = box.appendChild(new Image);
large.src = this.src;
large.alt = this.alt;
large.style = 'width:100%;height:100%;object-fit:contain;color-scheme:' + (dark ? 'dark' : 'light');
box.style = 'width:96vw;height:94vh;max-width:none;max-height:none;padding:0;border:0;cursor:zoom-out;background:' + (dark ? '#111' : '#fff');
box.dataset.lmSuppressShortcuts = true;
box.setAttribute('aria-label', this.alt);
box.onclick = () => box.close();
box.onclose = () => box.remove();
box.showModal();
};
this.onkeydown = event => {
if (event.key !== 'Enter' && event.key !== ' ') return;
event.preventDefault();
this.click();
};
