// One request about two open programs. Each function below handles one request of
// viewer/protocol.md.
#ifndef HALO_VIEW_COMPARE_COMPARE_REQUEST_H_
#define HALO_VIEW_COMPARE_COMPARE_REQUEST_H_

#include "halo/view/compare/program_pair.h"
#include "halo/view/model/view_request.h"

namespace halo::view {

struct CompareRequest {
  ViewRequest& request;     // about the second program
  const Document& against;  // the first one
  ProgramPair& pair;
};

void AskDiff(CompareRequest& asked);
void AskDiffInsts(CompareRequest& asked);
void AskDiffText(CompareRequest& asked);
void AskDiffMemory(CompareRequest& asked);
void AskDiffGraph(CompareRequest& asked);

}  // namespace halo::view

#endif  // HALO_VIEW_COMPARE_COMPARE_REQUEST_H_
