import { describeMatrix } from './matrix.ts';

describeMatrix('postgres');
