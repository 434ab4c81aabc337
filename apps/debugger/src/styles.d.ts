// What is imported to be bundled.
declare module '*.css';
