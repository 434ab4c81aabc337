const value = await 'imported';
export { value as default };
