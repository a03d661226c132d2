// The result of `halo diff --ranks` as users see it, in every front end.
#ifndef HALO_API_RANKS_RANKS_DOCUMENT_H_
#define HALO_API_RANKS_RANKS_DOCUMENT_H_

#include <string>

#include "halo/api/ranks/rank_groups.h"
#include "haloscope/ranks.h"

namespace halo {

v0::RanksResult RanksDocument(const RankGroups& result, const std::string& path);
std::string RanksJson(const RankGroups& result, const std::string& path);

}  // namespace halo

#endif  // HALO_API_RANKS_RANKS_DOCUMENT_H_
