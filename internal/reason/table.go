package reason

// The codes, by room; a new one goes to the end of its group. None is ever renamed or
// given another meaning. Each needs its line at the end of entries.go.
const (
	Internal Code = "internal"

	SniffUnsupported Code = "sniff.unsupported_format"
	SniffUnknown     Code = "sniff.unknown_format"
	SniffEmpty       Code = "sniff.empty"
	SniffVideo       Code = "sniff.video"
	SniffAudio       Code = "sniff.audio"
	SniffArchive     Code = "sniff.archive"
	SniffScript      Code = "sniff.script"
	SniffMalformed   Code = "sniff.malformed"
	SniffNoImage     Code = "sniff.not_an_image"
	SniffInteractive Code = "sniff.interactive"
	SniffRecord      Code = "sniff.clinical_record"

	SourceBytes      Code = "source.byte_limit"
	SourceDigest     Code = "source.digest_mismatch"
	SourceMissing    Code = "source.not_found"
	SourceDenied     Code = "source.denied"
	SourceUnreadable Code = "source.unavailable"
	SourceReference  Code = "source.bad_reference"
	SourceOutside    Code = "source.outside_prefixes"

	ExtractNoAssets  Code = "extract.no_assets"
	ExtractNothing   Code = "extract.nothing_releasable"
	ExtractMalformed Code = "extract.malformed"
	ExtractEncrypted Code = "extract.encrypted"
	ExtractPixels    Code = "extract.pixel_limit"
	ExtractTotal     Code = "extract.total_pixel_limit"
	ExtractAssets    Code = "extract.asset_limit"
	ExtractPages     Code = "extract.page_limit"
	ExtractFrames    Code = "extract.frame_limit"
	ExtractEntries   Code = "extract.entry_limit"
	ExtractUnpacked  Code = "extract.unpacked_limit"
	ExtractRatio     Code = "extract.ratio_limit"
	ExtractSizeLies  Code = "extract.declared_size_differs"
	ExtractEncoding  Code = "extract.unsupported_encoding"
	ExtractTruncated Code = "extract.truncated"
	ExtractVector    Code = "extract.vector_image"
	ExtractDepth     Code = "extract.depth_limit"
	ExtractFilters   Code = "extract.filter_limit"
	ExtractObjects   Code = "extract.object_limit"
	ExtractDrawn     Code = "extract.drawn_limit"
	ExtractMemory    Code = "extract.memory_limit"

	ReadUnread  Code = "read.unread_text"
	ReadFailed  Code = "read.engine_failed"
	ReadTime    Code = "read.time_limit"
	MarkFailed  Code = "mark.failed"
	RedactLook  Code = "redact.second_look"
	RedactBoxes Code = "redact.box_limit"

	CellCrashed    Code = "cell.crashed"
	CellTimeout    Code = "cell.time_limit"
	CellMemory     Code = "cell.memory_limit"
	CellProtocol   Code = "cell.protocol"
	CellProtection Code = "cell.protection_missing"
	CellStart      Code = "cell.start_failed"
	CellEngines    Code = "cell.engines_missing"
	CellKilled     Code = "cell.killed"

	QueueLeaseLost Code = "queue.lease_lost"
	QueueBusy      Code = "queue.store_busy"
	QueueAttempts  Code = "queue.attempts_used_up"
	QueueFull      Code = "queue.full"
	QueueStopped   Code = "queue.stopped"
	QueueSchema    Code = "queue.schema_newer"
	QueueSchemaOld Code = "queue.schema_older"

	VaultUnavailable Code = "vault.unavailable"
	VaultDamaged     Code = "vault.damaged"
	VaultKeyGone     Code = "vault.key_destroyed"
	VaultOverwrites  Code = "vault.no_create_only"

	WebhookUnreachable Code = "webhook.unreachable"
	WebhookRefused     Code = "webhook.refused"
	WebhookGone        Code = "webhook.gone"
	WebhookPrivate     Code = "webhook.private_address"
	WebhookRemoved     Code = "webhook.endpoint_removed"
	WebhookUnknown     Code = "webhook.no_such_delivery"

	AuditRollback    Code = "audit.log_rolled_back"
	AuditUnavailable Code = "audit.unavailable"
	AuditKey         Code = "audit.key_unusable"

	ReceiptMalformed    Code = "receipt.malformed"
	ReceiptSignature    Code = "receipt.bad_signature"
	ReceiptUntrusted    Code = "receipt.untrusted_key"
	ReceiptInclusion    Code = "receipt.not_in_log"
	ReceiptCheckpoint   Code = "receipt.bad_checkpoint"
	ReceiptMismatch     Code = "receipt.file_differs"
	ReceiptInconsistent Code = "receipt.log_forked"

	PolicyInvalid  Code = "policy.invalid"
	PolicyDenied   Code = "policy.denied"
	PolicyWithheld Code = "policy.asset_withheld"
	ConfigInvalid  Code = "config.invalid"
	WorkdirFailed  Code = "workdir.unavailable"
	PolicyUnknown  Code = "policy.unknown"
	UsageWrong     Code = "usage.wrong"

	APIRequest      Code = "api.bad_request"
	APIKeyMissing   Code = "api.idempotency_key_missing"
	APIInProgress   Code = "api.in_progress"
	APIKeyReused    Code = "api.idempotency_key_reused"
	APIUnauthorised Code = "api.unauthorized"
	APIForbidden    Code = "api.forbidden"
	APINotFound     Code = "api.not_found"
	APIMethod       Code = "api.method_not_allowed"
	APINotAccepted  Code = "api.not_acceptable"
	APIMediaType    Code = "api.unsupported_media_type"
	APITooLarge     Code = "api.body_limit"
	APIBodyTimeout  Code = "api.body_timeout"
	APIRate         Code = "api.rate_limited"
	APIUploads      Code = "api.too_many_uploads"
	APIWaiters      Code = "api.too_many_waiters"
	APIBusy         Code = "api.busy"
	APIDeadline     Code = "api.deadline"
	APIStopping     Code = "api.stopping"

	JobCancelled  Code = "job.cancelled"
	JobDiscarded  Code = "job.discarded"
	JobEnded      Code = "job.ended"
	JobNotEnded   Code = "job.not_ended"
	JobNotDead    Code = "job.not_dead"
	JobNoReplay   Code = "job.not_replayable"
	JobNoResult   Code = "job.no_result"
	AccessUnknown Code = "access.no_such_key"
	JobUnknown    Code = "job.unknown"

	HostDisk  Code = "host.disk_full"
	HostClock Code = "host.clock_wrong"

	StationKeys Code = "station.other_keys"
	StationName Code = "station.name_taken"

	TruthInvalid Code = "truth.invalid"
	TruthMissing Code = "truth.missing"
)

// Exit statuses of commands.
const (
	ExitOK       = 0
	ExitFailed   = 1 // a transient or internal cause, or a failed verification
	ExitUsage    = 2
	ExitRejected = 3
)
