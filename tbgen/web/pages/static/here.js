// The address of the folder that this page lies in.

document.getElementById("here").textContent = new URL("../", location.href);
