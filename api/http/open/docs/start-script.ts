/**
 * What starts Swagger UI in the page.
 *
 * Decision: the document is sent to no validator, and a pasted token is forgotten with the page.
 */
export const startScript = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  presets: [SwaggerUIBundle.presets.apis],
  validatorUrl: null,
  persistAuthorization: false,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
});
`;
