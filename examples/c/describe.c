// Queries a module in JSON, reads one of its tables through Arrow, and runs it on generated inputs.
//   describe module.txt
#include <haloscope/c.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int fail(halo_document* document, halo_status status) {
  fprintf(stderr, "%s: %s\n", halo_status_text(status), halo_error(document));
  halo_close(document);
  return 1;
}

// The sum of an int64 column of a table; -1 if there is no such column.
static int64_t sum_of(const struct ArrowSchema* schema, const struct ArrowArray* table,
                      const char* column) {
  for (int64_t i = 0; i < schema->n_children; ++i) {
    if (strcmp(schema->children[i]->name, column) != 0) continue;
    const int64_t* values = (const int64_t*)table->children[i]->buffers[1];
    int64_t sum = 0;
    for (int64_t row = 0; row < table->length; ++row) sum += values[row];
    return sum;
  }
  return -1;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  halo_document* document = NULL;
  halo_status status = halo_open_path(argv[1], &document);
  if (status != HALO_OK) return fail(document, status);

  halo_result* result = NULL;
  status = halo_ask(document, "{\"ask\":\"overview\"}", &result);
  if (status != HALO_OK) return fail(document, status);
  size_t size = 0;
  halo_result_json(result, &size);
  printf("halo %s: overview in %zu bytes of JSON\n", halo_version(), size);
  halo_result_free(result);

  struct ArrowSchema schema;
  struct ArrowArray table;
  status = halo_table(document, "instructions", &schema, &table);
  if (status != HALO_OK) return fail(document, status);
  printf("%" PRId64 " instructions make %" PRId64 " bytes\n", table.length,
         sum_of(&schema, &table, "bytes"));
  table.release(&table);
  schema.release(&schema);

  status = halo_run(document, "{\"random\":1}", NULL, 0, &result);
  if (status != HALO_OK) return fail(document, status);
  halo_array output;
  for (size_t i = 0; halo_result_array(result, i, &output) == HALO_OK; ++i) {
    printf("%s: %s, %zu bytes\n", output.name, output.type, output.bytes);
  }
  halo_result_free(result);
  halo_close(document);
  return 0;
}
