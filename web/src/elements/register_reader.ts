/** The part of the page that is loaded when it comes near. */
import { ReaderSection } from './reader_section.ts';
import { define } from './register.ts';
import { SentenceLine } from './sentence_line.ts';
import { TrainingSection } from './training_section.ts';
import '../styles/reader.css';
import '../styles/training.css';

export function registerReader(): void {
  define({
    'pos-enc-sentence-line': SentenceLine,
    'pos-enc-training': TrainingSection,
    'pos-enc-reader': ReaderSection,
  });
}
