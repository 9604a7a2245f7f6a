/* SPDX-License-Identifier: Apache-2.0 */
/* What jansson's configuration would find in WASI. */
#define HAVE_STDINT_H 1
#define INITIAL_HASHTABLE_ORDER 3
