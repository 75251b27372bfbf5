/** What callers will see of the certificate. */
export { examineCertificate } from '../auth/examine/certificate.ts';
