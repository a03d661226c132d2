// JSON Schemas (draft 2020-12) of documents and requests.
#ifndef HALO_DESCRIBE_JSON_SCHEMA_H_
#define HALO_DESCRIBE_JSON_SCHEMA_H_

#include <string>

#include "halo/base/json/json_writer.h"
#include "halo/describe/check_request.h"
#include "halo/describe/type_model.h"

namespace halo::describe {

// The schema of a document: each object has the name of its struct as title, so that generators of
// types can name it.
std::string DocumentSchema(const DocumentModel& document, const ChoiceList& choices);

// The members of `properties` of a request's schema, in an object that the caller opens and closes.
void WriteRequestSchema(const TypeModel& request, const ChoiceList& choices, JsonWriter& json);

}  // namespace halo::describe

#endif  // HALO_DESCRIBE_JSON_SCHEMA_H_
