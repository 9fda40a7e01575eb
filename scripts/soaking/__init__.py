"""An attack on tbgen that can be repeated: builds are killed, files damaged, inputs made up, disks filled."""
