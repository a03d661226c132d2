// Programs that a machine is measured with: one kernel each, in several sizes, for every kind of
// work that the models know. None is taken from a program that predictions are checked on.
#ifndef HALO_API_TIME_MACHINE_CALIBRATION_PROGRAMS_H_
#define HALO_API_TIME_MACHINE_CALIBRATION_PROGRAMS_H_

#include <string>
#include <vector>

namespace halo {

struct CalibrationProgram {
  std::string curve;  // that it gives a point of, as WorkOf names it
  std::string text;   // a module; the root of its entry is the kernel
};

std::vector<CalibrationProgram> CalibrationPrograms();

}  // namespace halo

#endif  // HALO_API_TIME_MACHINE_CALIBRATION_PROGRAMS_H_
