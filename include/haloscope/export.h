// Macros that the public headers share: symbol visibility, and the versioned namespace. Valid as C.
#ifndef HALOSCOPE_EXPORT_H_
#define HALOSCOPE_EXPORT_H_

#if defined(__GNUC__) || defined(__clang__)
#define HALO_EXPORT __attribute__((visibility("default")))
#else
#define HALO_EXPORT
#endif

// Public names are declared in halo::v0, an inline namespace, so that code says halo::Document and
// an incompatible release links under other symbols. Only the sources of the library itself see v0
// as an ordinary namespace, because their internal names are directly in halo.
#ifdef HALO_BUILDING_LIBRARY
#define HALO_V0_BEGIN namespace v0 {
#else
#define HALO_V0_BEGIN inline namespace v0 {
#endif
#define HALO_V0_END }

#endif  // HALOSCOPE_EXPORT_H_
