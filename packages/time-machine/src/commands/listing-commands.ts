// Commands that list what a recording has, and commands of the debugger itself.
import type { DebuggerCommand } from './command.ts';

export const RECORDING: readonly DebuggerCommand[] = [
  {
    name: 'tasks',
    subject: 'recording',
    arguments: '[FROM [COUNT]]',
    summary: 'list tasks from here or FROM; again: the next ones',
    example: 'tasks 100 20',
    isRepeatable: true,
  },
  {
    name: 'events',
    subject: 'recording',
    arguments: '[KIND] [TEXT]',
    summary: 'list events',
    example: 'events exception',
  },
  {
    name: 'requests',
    subject: 'recording',
    arguments: '[slowest] [open] [STATUS] [TEXT]',
    summary: 'list requests with response and duration',
    example: 'requests slowest 500 /orders',
    details: ['slowest: slowest first. open: unanswered. STATUS: of at least this status.'],
  },
  {
    name: 'find',
    aliases: ['search', 'forward-search'],
    subject: 'recording',
    arguments: 'TEXT',
    summary: 'search names, errors, requests, host calls and output',
    example: 'find out of stock',
  },
  {
    name: 'actors',
    subject: 'recording',
    arguments: '[NAME]',
    summary: 'list actors; NAME may contain *',
    example: 'actors Cart*',
  },
  {
    name: 'mailbox',
    subject: 'recording',
    arguments: 'ACTOR',
    summary: 'list the waiting messages of an actor',
    example: 'mailbox Cart#1',
    needsStatements: true,
  },
  {
    name: 'promises',
    subject: 'recording',
    arguments: '[#NUMBER|ACTOR]',
    summary: 'list pending promises with their waiters, or the chain of one',
    example: 'promises',
    needsStatements: true,
  },
  {
    name: 'replies',
    subject: 'recording',
    summary: 'list the tasks that handle messages sent by this task',
    example: 'replies',
  },
];

export const DEBUGGER: readonly DebuggerCommand[] = [
  {
    name: 'source',
    subject: 'debugger',
    arguments: 'FILE',
    summary: 'run the commands in a file',
    example: 'source commands.txt',
  },
  {
    name: 'help',
    letter: 'h',
    subject: 'debugger',
    arguments: '[COMMAND|SUBJECT|KIND]',
    summary: 'show the commands, or help on one',
    example: 'help break',
  },
  { name: 'quit', letter: 'q', aliases: ['exit'], subject: 'debugger', summary: 'quit', example: 'quit' },
];
