// The whole C++ interface in one include. docs/library.md shows how to use it.
#ifndef HALOSCOPE_HALOSCOPE_H_
#define HALOSCOPE_HALOSCOPE_H_

#include "haloscope/array.h"
#include "haloscope/check.h"
#include "haloscope/diagnostics.h"
#include "haloscope/diff.h"
#include "haloscope/document.h"
#include "haloscope/info.h"
#include "haloscope/memory.h"
#include "haloscope/module.h"
#include "haloscope/numbers.h"
#include "haloscope/ranks.h"
#include "haloscope/recompiles.h"
#include "haloscope/run.h"
#include "haloscope/snapshot.h"
#include "haloscope/time.h"
#include "haloscope/version.h"

#endif  // HALOSCOPE_HALOSCOPE_H_
