export { AlarmStatusView } from '../../workflows/domain/wire/alarm-status';
