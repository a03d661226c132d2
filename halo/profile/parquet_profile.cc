// The columns are those of the CSV, without units.
#include "halo/profile/parquet_profile.h"

#include <array>

#include "halo/profile/nsight_table.h"
#include "halo/profile/parquet/parquet.h"
#include "halo/profile/profile_diagnostics.h"

namespace halo {

Profile ReadParquetProfile(std::string_view bytes) {
  constexpr std::array<std::string_view, 8> kColumns = {
      "Name",      "Projected Start", "Projected Duration", "PID", "TID",
      "NumGPUOps", "RangeId",         "RangeStack"};
  Profile failed;
  failed.kind = ProfileKind::kNsightTable;
  const ParquetTable table = ReadParquet(bytes, kColumns);
  if (!table.problem.empty()) {
    failed.diagnostics.Add(MakeBinaryDiagnostic(diag::kNotAProfile, 0, table.problem));
    return failed;
  }
  const std::vector<ParquetColumn>& columns = table.columns;
  if (columns[0].texts.empty() || columns[2].numbers.empty()) {
    failed.diagnostics.Add(MakeBinaryDiagnostic(
        diag::kNotAProfile, 0, "this table has no columns Name and Projected Duration"));
    return failed;
  }
  NsightTable rows;
  for (size_t i = 0; i < table.rows; ++i) {
    rows.Add({.name = columns[0].Text(i),
              .start = columns[1].Number(i, 0),
              .duration = columns[2].Number(i, 0),
              .process = columns[3].Number(i, 0),
              .thread = columns[4].Number(i, 0),
              .kernels = columns[5].Number(i, 1),
              .range = columns[6].Number(i, 0),
              .range_stack = columns[7].Text(i)});
  }
  return rows.Take();
}

}  // namespace halo
