// The C interface of Haloscope, for programs in C and for bindings of other languages. Valid as C99
// and as C++. This interface is kept compatible: functions may be added, but none is changed.
//
// - A function that can fail returns a halo_status; halo_error() of the document then says why.
// - Texts are UTF-8 and end with a zero byte. Texts and pointers that a function returns belong to
//   the object that they were taken from.
// - There is no global state. Calls on one document may come from any thread and are executed one
//   after the other; different documents are independent of each other. A result is not changed
//   after it was made and may be read from several threads.
#ifndef HALOSCOPE_C_H_
#define HALOSCOPE_C_H_

#include <stddef.h>
#include <stdint.h>

#include "haloscope/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// An open file, with the files that were added to it.
typedef struct halo_document halo_document;
// The result of a request or of a run. Independent of its document.
typedef struct halo_result halo_result;

typedef enum halo_status {
  HALO_OK = 0,
  HALO_BAD_ARGUMENT = 1,  // a null pointer, or an index out of range
  HALO_UNREADABLE = 2,    // the file cannot be opened, or is of no known kind
  HALO_BAD_REQUEST = 3,   // the request is not valid, or cannot be answered for this document
  HALO_RUN_FAILED = 4,    // the module cannot be run with these inputs
  HALO_OUT_OF_MEMORY = 5,
  HALO_INTERNAL_ERROR = 6
} halo_status;

// An array by pointer. Elements are row-major without gaps; types narrower than a byte take one
// byte each.
typedef struct halo_array {
  const char* name;  // "in_0", "out_2"; with several devices "in_0_d3"
  const char* type;  // as HLO writes it: "f32", "s32", "bf16", "pred", ...
  size_t rank;
  const int64_t* dims;  // `rank` of them, at most 256
  const void* data;
  size_t bytes;
} halo_array;

// The version of the library, "0.1.0".
HALO_EXPORT const char* halo_version(void);
// A name for a status: "ok", "bad argument", ...
HALO_EXPORT const char* halo_status_text(halo_status status);

// Opens a file of any kind that XLA dumps, plain or compressed. The path may lead into a tar
// archive. *document is also set on HALO_UNREADABLE, so that halo_error can be called; it is null
// only if the status is HALO_BAD_ARGUMENT or HALO_OUT_OF_MEMORY. Errors inside a module do not make
// the file unreadable; use {"ask":"check"} to find them.
HALO_EXPORT halo_status halo_open_path(const char* path, halo_document** document);
// The same for bytes in memory, which are copied. `name` is the name used in diagnostics.
HALO_EXPORT halo_status halo_open_bytes(const char* name, const void* data, size_t size,
                                        halo_document** document);
// Adds another file about the same program, such as its buffer assignment.
HALO_EXPORT halo_status halo_add_path(halo_document* document, const char* path);
HALO_EXPORT halo_status halo_add_bytes(halo_document* document, const char* name, const void* data,
                                       size_t size);
// Opens one program of a dump: a folder, an archive, a capture or a profile. The choice is a JSON
// object, {} for the largest module in its last stage: "module": a name, a part of one or a number,
// "stage": "before", "after", a pass or its number, "rank": a folder's name or number, "follow":
// true to follow links that leave the folder. Otherwise like halo_open_path.
HALO_EXPORT halo_status halo_open_dump(const char* path, const char* choice,
                                       halo_document** document);
// Adds the files next to the opened one that XLA wrote about the memory of the same program, as
// `halo memory` does. Adds nothing to bytes, and nothing twice.
HALO_EXPORT halo_status halo_add_related(halo_document* document);
// The path that was opened; of a dump, that of the chosen file. "" for a null document.
HALO_EXPORT const char* halo_path(const halo_document* document);
// Null is allowed. Results stay valid.
HALO_EXPORT void halo_close(halo_document* document);
// Why the last failed call on this document failed; "" if none did. Valid until the next call.
HALO_EXPORT const char* halo_error(const halo_document* document);

// Executes a request given as a JSON object: {"ask":"info"}, {"ask":"check"}, {"ask":"memory"}, or
// any other request of viewer/protocol.md. The result's JSON is that of `halo ask`; for these three
// requests its "answer" is what the command prints with --json.
HALO_EXPORT halo_status halo_ask(halo_document* document, const char* request,
                                 halo_result** result);
// Runs the module. The request is a JSON object, {} for all defaults:
//   "module": 0, "engine": "reference" or "compiled", "random": SEED, "devices": N,
//   "max_steps": N, "max_memory": BYTES, "fill_elided": "zeros", "ones" or "iota",
//   "inputs": [PATH...], .npy, .npz or .safetensors, and other options of `halo run`, which
//   `halo describe` lists. Inputs are matched to parameters by name. The result's JSON is that of
//   `halo run --json`; its
// arrays are the module's results.
HALO_EXPORT halo_status halo_run(halo_document* document, const char* request,
                                 const halo_array* inputs, size_t input_count,
                                 halo_result** result);
// Ends a run of this document that another thread has started; it then fails with HALO_RUN_FAILED.
// Does nothing if none is under way. Never waits. The compiled engine notices it between steps, not
// while it compiles.
HALO_EXPORT void halo_stop(halo_document* document);
// Instructions, or steps of the compiled engine, that were executed in the last run of this
// document, for a progress display. Never waits.
HALO_EXPORT int64_t halo_steps(const halo_document* document);

// How long the program takes on a device. The request is a JSON object, {} for all defaults:
//   "device": NAME, "device_json": TEXT, "backend": "cpu", "gpu" or "tpu", "top": ROWS (10),
//   "advice": false, "profiles": [PATH...], "profile_step": N, "calibration": TEXT,
//   "links": GB_PER_SECOND, "network": GB_PER_SECOND, "nodes": N, "data_parallel": N,
//   "autotune_results": TEXT, "target_config": TEXT.
// The result's JSON is that of `halo time --json`.
HALO_EXPORT halo_status halo_time(halo_document* document, const char* request,
                                  halo_result** result);
// What changed from one program to another, in values, memory and time. The request is a JSON
// object: "top": CAUSES (12), "device": NAME. The result's JSON is that of `halo diff --json`.
// halo_error of `before` says why the call failed.
HALO_EXPORT halo_status halo_diff(halo_document* before, halo_document* after, const char* request,
                                  halo_result** result);
// Both programs on the same inputs: whether their results agree, and the first value that differs.
// Inputs are those of halo_run, and so are "random", "devices", "max_steps", "max_memory",
// "fill_elided", "custom_call" and "inputs" of the request. Inputs are generated from seed 1 if
// none are given. The result's JSON is that of `halo diff --run --json`. halo_error of `before`
// says why the call failed; halo_stop and halo_steps of `before` stop and watch it.
HALO_EXPORT halo_status halo_numbers(halo_document* before, halo_document* after,
                                     const char* request, const halo_array* inputs,
                                     size_t input_count, halo_result** result);
// Fingerprints, memory, time and counts of the program. The request is a JSON object:
// "device": NAME. The result's JSON is the file that `halo snapshot` writes.
HALO_EXPORT halo_status halo_snapshot(halo_document* document, const char* request,
                                      halo_result** result);
// Which ranks of a job compiled the same. `path` is a folder or archive with a dump for each rank,
// the request a JSON object: "follow": true to follow links that leave the folder. The result's
// JSON is that of `halo diff --ranks --json`. If the status is HALO_UNREADABLE, *result is set as
// well, and its JSON, halo.error.v1, says why.
HALO_EXPORT halo_status halo_ranks(const char* path, const char* request, halo_result** result);
// Why functions of a dump were compiled more than once; otherwise like halo_ranks. The result's
// JSON is that of `halo diff --recompiles --json`.
HALO_EXPORT halo_status halo_recompiles(const char* path, const char* request,
                                        halo_result** result);
// The viewer's page with this program inside, as one HTML text that needs no network. `page` is the
// file share/haloscope/viewer.html; `view` is the view shown first: "overview", "graph", "memory",
// "text", ... The text is that of halo_result_json.
HALO_EXPORT halo_status halo_page(halo_document* document, const char* page, size_t page_bytes,
                                  const char* view, halo_result** result);

// The JSON of a result; `size`, which may be null, is set to its length without the zero byte.
HALO_EXPORT const char* halo_result_json(const halo_result* result, size_t* size);
HALO_EXPORT size_t halo_result_array_count(const halo_result* result);
// Fills *array with pointers into the result.
HALO_EXPORT halo_status halo_result_array(const halo_result* result, size_t index,
                                          halo_array* array);
// Null is allowed.
HALO_EXPORT void halo_result_free(halo_result* result);

// The Arrow C data interface, as its specification defines it.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE

// A table of the program as a struct array with int64 and utf8 columns and without nulls:
// "instructions", "computations", "collectives", "custom_calls", or "values" of the buffer
// assignment. The caller releases both; they are independent of the document.
HALO_EXPORT halo_status halo_table(halo_document* document, const char* name,
                                   struct ArrowSchema* schema, struct ArrowArray* array);
// The same table as a stream of one array. The caller releases it.
HALO_EXPORT halo_status halo_table_stream(halo_document* document, const char* name,
                                          struct ArrowArrayStream* stream);

// Scans programs into a dataset of Parquet files, as `halo scan` does. The request is a JSON
// object:
//   "paths": [PATH...], "to": DIR, "partition": NAME=VALUE, "shard": 1, "shards": 1,
//   "divide": true to take only the files that belong to the shard by their names,
//   "device": NAME, "threads": 1.
// Several calls may write the same dataset at a time if their shards differ. A call that is
// repeated adds only what is missing. The result's JSON is that of `halo scan --json`; on
// HALO_UNREADABLE it says in "diagnostics" why the dataset cannot be written.
HALO_EXPORT halo_status halo_scan(const char* request, halo_result** result);
// The rows that a scan stores for one file with a program.
typedef struct halo_rows halo_rows;
// `device` is the one to predict times for; "" if it is inferred. A file that cannot be read has a
// row in the table "files" only.
HALO_EXPORT halo_status halo_scan_rows(const char* path, const char* device, halo_rows** rows);
// Why the file cannot be read; "" if it can.
HALO_EXPORT const char* halo_rows_refused(const halo_rows* rows);
// One of the tables "files", "modules", "instructions", "collectives", "buffers", "times" and
// "findings", as a stream of one array. The caller releases it; it is independent of the rows.
HALO_EXPORT halo_status halo_rows_stream(const halo_rows* rows, const char* table,
                                         struct ArrowArrayStream* stream);
// Null is allowed.
HALO_EXPORT void halo_rows_free(halo_rows* rows);

#ifdef __cplusplus
}
#endif

#endif  // HALOSCOPE_C_H_
