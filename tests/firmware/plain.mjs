// Code that MicroPython compiles to machine code on a Pico runs as plain Python here.
export const plain = (text) => text.replaceAll('@micropython.viper\n', '').replace('import micropython\nfrom micropython import const\n', 'const = lambda value: value\n');
