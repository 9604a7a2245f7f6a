" Syntax of PTO assembly, written by `generate` from the tables of ptoasm.
if exists('b:current_syntax')
  finish
endif
syn case match
syn iskeyword @,48-57,_,$,.

syn keyword ptoInstruction arith.addf arith.addi arith.addui_extended arith.andi arith.bitcast arith.ceildivsi
syn keyword ptoInstruction arith.ceildivui arith.cmpf arith.cmpi arith.constant arith.divf arith.divsi
syn keyword ptoInstruction arith.divui arith.extf arith.extsi arith.extui arith.floordivsi arith.fptosi
syn keyword ptoInstruction arith.fptoui arith.index_cast arith.index_castui arith.maximumf arith.maxnumf
syn keyword ptoInstruction arith.maxsi arith.maxui arith.minimumf arith.minnumf arith.minsi arith.minui
syn keyword ptoInstruction arith.mulf arith.muli arith.mulsi_extended arith.mului_extended arith.negf
syn keyword ptoInstruction arith.ori arith.remf arith.remsi arith.remui arith.select arith.shli arith.shrsi
syn keyword ptoInstruction arith.shrui arith.sitofp arith.subf arith.subi arith.truncf arith.trunci
syn keyword ptoInstruction arith.uitofp arith.xori builtin.module builtin.unrealized_conversion_cast
syn keyword ptoInstruction cf.assert cf.br cf.cond_br cf.switch func.call func.func func.return
syn keyword ptoInstruction pto.SETFMATRIX pto.addptr pto.aic_initialize_pipe pto.aiv_initialize_pipe
syn keyword ptoInstruction pto.alloc_multi_tile pto.alloc_tile pto.barrier pto.barrier_sync pto.bitcast
syn keyword ptoInstruction pto.castptr pto.cmo.cacheinvalid pto.comm.build_async_session pto.comm.tbroadcast
syn keyword ptoInstruction pto.comm.test_async_event pto.comm.tgather pto.comm.tget pto.comm.tget_async
syn keyword ptoInstruction pto.comm.tnotify pto.comm.tput pto.comm.tput_async pto.comm.treduce
syn keyword ptoInstruction pto.comm.tscatter pto.comm.ttest pto.comm.twait pto.comm.wait_async_event
syn keyword ptoInstruction pto.declare_eventid_array pto.declare_global pto.declare_local_array
syn keyword ptoInstruction pto.declare_struct pto.declare_tile pto.eventid_array_get pto.eventid_array_set
syn keyword ptoInstruction pto.fence.barrier_all pto.get_block_idx pto.get_block_num pto.get_buf
syn keyword ptoInstruction pto.get_buf_dyn pto.get_prefetch_async_session pto.get_scale_addr
syn keyword ptoInstruction pto.get_subblock_idx pto.get_subblock_num pto.get_tensor_view_dim
syn keyword ptoInstruction pto.get_tensor_view_stride pto.get_validshape pto.import_reserved_buffer
syn keyword ptoInstruction pto.initialize_l2g2l_pipe pto.initialize_l2l_pipe pto.inttoptr pto.load_scalar
syn keyword ptoInstruction pto.local_array_get pto.local_array_set pto.make_prefetch_async_context
syn keyword ptoInstruction pto.make_tensor_view pto.mem_bar pto.mgather pto.mscatter pto.multi_tile_get
syn keyword ptoInstruction pto.partition_view pto.pipe_barrier pto.print pto.ptrtoint pto.record_event
syn keyword ptoInstruction pto.reserve_buffer pto.rls_buf pto.rls_buf_dyn pto.section.cube pto.section.vector
syn keyword ptoInstruction pto.set_cross_block pto.set_cross_core pto.set_ffts pto.set_flag pto.set_flag_dyn
syn keyword ptoInstruction pto.set_img2col_padding pto.set_img2col_rpt pto.set_intra_block
syn keyword ptoInstruction pto.set_quant_scalar pto.set_quant_vector pto.set_validshape pto.setfmatrix
syn keyword ptoInstruction pto.sethf32mode pto.settf32mode pto.store_scalar pto.struct_get pto.struct_set
syn keyword ptoInstruction pto.subset pto.subview pto.sync.set pto.sync.wait pto.syncall pto.tabs pto.tadd
syn keyword ptoInstruction pto.taddc pto.taddrelu pto.tadds pto.taddsc pto.talias pto.talloc
syn keyword ptoInstruction pto.talloc_to_aic pto.talloc_to_aiv pto.tand pto.tands pto.tassign pto.taxpy
syn keyword ptoInstruction pto.tci pto.tcmp pto.tcmps pto.tcolargmax pto.tcolargmin pto.tcolexpand
syn keyword ptoInstruction pto.tcolexpandadd pto.tcolexpanddiv pto.tcolexpandexpdif pto.tcolexpandmax
syn keyword ptoInstruction pto.tcolexpandmin pto.tcolexpandmul pto.tcolexpandsub pto.tcolmax pto.tcolmin
syn keyword ptoInstruction pto.tcolprod pto.tcolsum pto.tconcat pto.tconcatidx pto.tcvt pto.tdeinterleave
syn keyword ptoInstruction pto.tdequant pto.tdiv pto.tdivs pto.tensor_view_addr pto.texp pto.texpands
syn keyword ptoInstruction pto.textract pto.textract_fp pto.tfillpad pto.tfillpad_expand pto.tfillpad_inplace
syn keyword ptoInstruction pto.tfmod pto.tfmods pto.tfree pto.tfree_from_aic pto.tfree_from_aiv pto.tgather
syn keyword ptoInstruction pto.tgatherb pto.tgemv pto.tgemv.acc pto.tgemv.bias pto.tgemv.mx pto.tgemv.mx.acc
syn keyword ptoInstruction pto.tgemv.mx.bias pto.tgemv_acc pto.tgemv_bias pto.tgemv_mx pto.tgemv_mx_acc
syn keyword ptoInstruction pto.tgemv_mx_bias pto.tget pto.tget_scale_addr pto.tgetval pto.thistogram
syn keyword ptoInstruction pto.tile_buf_addr pto.tile_valid_cols pto.tile_valid_rows pto.timg2col pto.tinsert
syn keyword ptoInstruction pto.tinsert_fp pto.tinterleave pto.tload pto.tlog pto.tlrelu pto.tmatmul
syn keyword ptoInstruction pto.tmatmul.acc pto.tmatmul.bias pto.tmatmul.mx pto.tmatmul.mx.acc
syn keyword ptoInstruction pto.tmatmul.mx.bias pto.tmatmul_acc pto.tmatmul_bias pto.tmatmul_mx
syn keyword ptoInstruction pto.tmatmul_mx_acc pto.tmatmul_mx_bias pto.tmax pto.tmaxs pto.tmin pto.tmins
syn keyword ptoInstruction pto.tmov pto.tmov.a2v pto.tmov.fp pto.tmov.m2b pto.tmov.m2l pto.tmov.m2r
syn keyword ptoInstruction pto.tmov.m2s pto.tmov.s2d pto.tmov.v2v pto.tmrgsort pto.tmul pto.tmuls pto.tneg
syn keyword ptoInstruction pto.tnot pto.tnotify pto.tor pto.tors pto.tpack pto.tpairreducesum pto.tpartadd
syn keyword ptoInstruction pto.tpartargmax pto.tpartargmin pto.tpartmax pto.tpartmin pto.tpartmul pto.tpop
syn keyword ptoInstruction pto.tpop_from_aic pto.tpop_from_aiv pto.tpow pto.tpows pto.tprefetch
syn keyword ptoInstruction pto.tprefetch_async pto.tprelu pto.tprint pto.tpush pto.tpush_to_aic
syn keyword ptoInstruction pto.tpush_to_aiv pto.tput pto.tquant pto.tquant.mx pto.trandom pto.trap pto.trecip
syn keyword ptoInstruction pto.trelu pto.trem pto.trems pto.treshape pto.trowargmax pto.trowargmin
syn keyword ptoInstruction pto.trowexpand pto.trowexpandadd pto.trowexpanddiv pto.trowexpandexpdif
syn keyword ptoInstruction pto.trowexpandmax pto.trowexpandmin pto.trowexpandmul pto.trowexpandsub
syn keyword ptoInstruction pto.trowmax pto.trowmin pto.trowprod pto.trowsum pto.trsqrt pto.tscatter pto.tsel
syn keyword ptoInstruction pto.tsels pto.tset_img2col_padding pto.tset_img2col_rpt pto.tsetfmatrix
syn keyword ptoInstruction pto.tsethf32mode pto.tsettf32mode pto.tsetval pto.tshl pto.tshls pto.tshr
syn keyword ptoInstruction pto.tshrs pto.tsort32 pto.tsqrt pto.tstore pto.tstore.fp pto.tstore_fp pto.tsub
syn keyword ptoInstruction pto.tsubc pto.tsubs pto.tsubsc pto.tsubview pto.tsync pto.tsync.op pto.ttest
syn keyword ptoInstruction pto.ttrans pto.ttri pto.twait pto.txor pto.txors pto.wait_cross_block
syn keyword ptoInstruction pto.wait_event pto.wait_flag pto.wait_flag_dev pto.wait_flag_dyn
syn keyword ptoInstruction pto.wait_intra_block pto.wait_intra_core scf.condition scf.execute_region scf.for
syn keyword ptoInstruction scf.if scf.index_switch scf.while scf.yield
syn keyword ptoShort contained SETFMATRIX addptr aic_initialize_pipe aiv_initialize_pipe alloc_multi_tile
syn keyword ptoShort contained alloc_tile barrier barrier_sync bitcast castptr cmo.cacheinvalid
syn keyword ptoShort contained comm.build_async_session comm.tbroadcast comm.test_async_event comm.tgather
syn keyword ptoShort contained comm.tget comm.tget_async comm.tnotify comm.tput comm.tput_async comm.treduce
syn keyword ptoShort contained comm.tscatter comm.ttest comm.twait comm.wait_async_event
syn keyword ptoShort contained declare_eventid_array declare_global declare_local_array declare_struct
syn keyword ptoShort contained declare_tile eventid_array_get eventid_array_set fence.barrier_all
syn keyword ptoShort contained get_block_idx get_block_num get_buf get_buf_dyn get_prefetch_async_session
syn keyword ptoShort contained get_scale_addr get_subblock_idx get_subblock_num get_tensor_view_dim
syn keyword ptoShort contained get_tensor_view_stride get_validshape import_reserved_buffer
syn keyword ptoShort contained initialize_l2g2l_pipe initialize_l2l_pipe inttoptr load_scalar local_array_get
syn keyword ptoShort contained local_array_set make_prefetch_async_context make_tensor_view mem_bar mgather
syn keyword ptoShort contained mscatter multi_tile_get partition_view pipe_barrier print ptrtoint
syn keyword ptoShort contained record_event reserve_buffer rls_buf rls_buf_dyn section.cube section.vector
syn keyword ptoShort contained set_cross_block set_cross_core set_ffts set_flag set_flag_dyn
syn keyword ptoShort contained set_img2col_padding set_img2col_rpt set_intra_block set_quant_scalar
syn keyword ptoShort contained set_quant_vector set_validshape setfmatrix sethf32mode settf32mode
syn keyword ptoShort contained store_scalar struct_get struct_set subset subview sync.set sync.wait syncall
syn keyword ptoShort contained tabs tadd taddc taddrelu tadds taddsc talias talloc talloc_to_aic
syn keyword ptoShort contained talloc_to_aiv tand tands tassign taxpy tci tcmp tcmps tcolargmax tcolargmin
syn keyword ptoShort contained tcolexpand tcolexpandadd tcolexpanddiv tcolexpandexpdif tcolexpandmax
syn keyword ptoShort contained tcolexpandmin tcolexpandmul tcolexpandsub tcolmax tcolmin tcolprod tcolsum
syn keyword ptoShort contained tconcat tconcatidx tcvt tdeinterleave tdequant tdiv tdivs tensor_view_addr
syn keyword ptoShort contained texp texpands textract textract_fp tfillpad tfillpad_expand tfillpad_inplace
syn keyword ptoShort contained tfmod tfmods tfree tfree_from_aic tfree_from_aiv tgather tgatherb tgemv
syn keyword ptoShort contained tgemv.acc tgemv.bias tgemv.mx tgemv.mx.acc tgemv.mx.bias tgemv_acc tgemv_bias
syn keyword ptoShort contained tgemv_mx tgemv_mx_acc tgemv_mx_bias tget tget_scale_addr tgetval thistogram
syn keyword ptoShort contained tile_buf_addr tile_valid_cols tile_valid_rows timg2col tinsert tinsert_fp
syn keyword ptoShort contained tinterleave tload tlog tlrelu tmatmul tmatmul.acc tmatmul.bias tmatmul.mx
syn keyword ptoShort contained tmatmul.mx.acc tmatmul.mx.bias tmatmul_acc tmatmul_bias tmatmul_mx
syn keyword ptoShort contained tmatmul_mx_acc tmatmul_mx_bias tmax tmaxs tmin tmins tmov tmov.a2v tmov.fp
syn keyword ptoShort contained tmov.m2b tmov.m2l tmov.m2r tmov.m2s tmov.s2d tmov.v2v tmrgsort tmul tmuls tneg
syn keyword ptoShort contained tnot tnotify tor tors tpack tpairreducesum tpartadd tpartargmax tpartargmin
syn keyword ptoShort contained tpartmax tpartmin tpartmul tpop tpop_from_aic tpop_from_aiv tpow tpows
syn keyword ptoShort contained tprefetch tprefetch_async tprelu tprint tpush tpush_to_aic tpush_to_aiv tput
syn keyword ptoShort contained tquant tquant.mx trandom trap trecip trelu trem trems treshape trowargmax
syn keyword ptoShort contained trowargmin trowexpand trowexpandadd trowexpanddiv trowexpandexpdif
syn keyword ptoShort contained trowexpandmax trowexpandmin trowexpandmul trowexpandsub trowmax trowmin
syn keyword ptoShort contained trowprod trowsum trsqrt tscatter tsel tsels tset_img2col_padding
syn keyword ptoShort contained tset_img2col_rpt tsetfmatrix tsethf32mode tsettf32mode tsetval tshl tshls tshr
syn keyword ptoShort contained tshrs tsort32 tsqrt tstore tstore.fp tstore_fp tsub tsubc tsubs tsubsc
syn keyword ptoShort contained tsubview tsync tsync.op ttest ttrans ttri twait txor txors wait_cross_block
syn keyword ptoShort contained wait_event wait_flag wait_flag_dev wait_flag_dyn wait_intra_block
syn keyword ptoShort contained wait_intra_core
syn keyword ptoClause addr aiv_subblockid all attributes buf case core_type default do else fastmath fp group
syn keyword ptoClause init_condition ins iter_args left_padding_num mode nested no_tmp offsets outs overflow
syn keyword ptoClause pad_value pre_quant private public recv right_padding_num shape single_cache_line sizes
syn keyword ptoClause step strides to valid valid_col valid_row
syn keyword ptoElement bf16 f16 f32 f64 f8E4M3 f8E4M3B11FNUZ f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ i1 i16 i32
syn keyword ptoElement i64 i8 index si16 si32 si64 si8 tf32 ui16 ui32 ui64 ui8
syn keyword ptoKey contained accPhase accToVecMode acc_push_epilogue atomicType auto axis base block_bytes
syn keyword ptoKey contained buf_id byte case_values channel_group_idx class cmp cmpMode coalesce
syn keyword ptoKey contained comm_block_offset core_type descending diagonal dir_mask dst_op dst_pipe enable
syn keyword ptoKey contained event_id exhausted fastmath ffts_mode flag_base format gatherOob grpAxis id
syn keyword ptoKey contained init_out_buffer interleave isBinary isMSB layout local_slot_num location
syn keyword ptoKey contained maskPattern mode msg name nosplit notifyOp offset op op_type overflowFlags
syn keyword ptoKey contained padValue pad_mode path peer_func pipe precisionType predicate printFormat
syn keyword ptoKey contained quantScaleAlg quant_type queue_num reduceOp reluPreMode rmode root roundingmode
syn keyword ptoKey contained rounds satmode scatterAtomicOp scatterConflict scatterOob scope size sizes
syn keyword ptoKey contained slot_num slot_size space split src_op src_pipe stPhase storeMode sync_id
syn keyword ptoKey contained tile_addr tinsertMode upperOrLower value
syn keyword ptoFamily contained acc_phase acc_to_vec_mode address_space atomic_type blayout cmp cmpf_predicate
syn keyword ptoFamily contained cmpi_predicate coalesce compact_mode div_precision event exp_precision
syn keyword ptoFamily contained fence_scope float_rounding fmod_precision func_core_type gather_oob
syn keyword ptoFamily contained kernel_kind layout log_precision mask_pattern module_core_type mx_group_axis
syn keyword ptoFamily contained notify_op pad_value padmode pipe pipe_event_type pow_precision precision_mode
syn keyword ptoFamily contained print_format quant_scale_alg quant_type recip_precision reduce_op
syn keyword ptoFamily contained relu_pre_mode rem_precision round_mode rsqrt_precision saturation_mode
syn keyword ptoFamily contained scatter_atomic_op scatter_conflict scatter_oob slayout sqrt_precision
syn keyword ptoFamily contained st_phase sync_all_mode sync_core_type sync_op_type tinsert_mode
syn keyword ptoFamily contained vec_store_mode wait_cmp
syn keyword ptoWord contained AIC AIC_OR_AIV AIV CAST_RINT CEIL EVENT_ID0 EVENT_ID1 EVENT_ID2 EVENT_ID3
syn keyword ptoWord contained EVENT_ID4 EVENT_ID5 EVENT_ID6 EVENT_ID7 FLOOR INT8_ASYM INT8_SYM MIX MXFP4_E2M1
syn keyword ptoWord contained MXFP8 NONE ODD OFF ON P0001 P0010 P0100 P0101 P1000 P1010 P1111 PIPE_ALL
syn keyword ptoWord contained PIPE_FIX PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_MTE4 PIPE_MTE5 PIPE_NUM
syn keyword ptoWord contained PIPE_S PIPE_UNASSIGNED PIPE_V PIPE_V2 PadFirstElem PadNull PadValue RINT RM RN
syn keyword ptoWord contained ROUND RP RZ TLOAD TMATMUL TMOV_M2B TMOV_M2L TMOV_M2S TMOV_M2V TMOV_V2M TRUNC
syn keyword ptoWord contained TSTORE_ACC TSTORE_VEC TVEC TVECWAIT_EVENT VIRTUAL_PIPE_MTE2_L1A
syn keyword ptoWord contained VIRTUAL_PIPE_MTE2_L1B acc add aic_only aiv_only all atomic_add atomic_none
syn keyword ptoWord contained axis0 axis1 bias clamp col_major cube default dn downward dual_mode_split_m
syn keyword ptoWord contained dual_mode_split_n elem eq false final ge gm gt hard high_precision last le left
syn keyword ptoWord contained local_memory lt mat max min mix mx_a_zz mx_b_nn nd ne no_relu none none_box
syn keyword ptoWord contained normal normal_relu null nv nz ocp oeq oge ogt ole olt one ord partial pwl right
syn keyword ptoWord contained row row_major row_plus_one scalar_relu scaling set sge sgt single_mode_vec0
syn keyword ptoWord contained single_mode_vec1 skip sle slt soft split2 split4 sum to_nearest_away
syn keyword ptoWord contained to_nearest_even toward_zero true ueq uge ugt ule ult undefined une uno
syn keyword ptoWord contained unspecified upward vec vector vector_relu width10_precision6 width8_precision2
syn keyword ptoWord contained width8_precision4 wrap zero
syn keyword ptoTypeName contained async_event async_session bf16x2 event eventid_array f4E1M2x2 f4E2M1x2
syn keyword ptoTypeName contained f8E8M0 fmatrix_config global hif8 hif8x2 local_array memref multi_tile_buf
syn keyword ptoTypeName contained partition_tensor_view pipe prefetch_async_context ptr struct tensor_view
syn keyword ptoTypeName contained tile tile_buf tile_view
syn keyword ptoTileKey contained blayout cols compact count dtype fractal loc pad rows slayout v_col v_row
syn keyword ptoTileKey contained valid
syn keyword ptoSpace contained acc bias gm left mat right scaling vec
syn match ptoPacked /\%(ui8\|ui64\|ui32\|ui16\|tf32\|si8\|si64\|si32\|si16\|index\|i8\|i64\|i32\|i16\|i1\|f8E5M2FNUZ\|f8E5M2\|f8E4M3FNUZ\|f8E4M3FN\|f8E4M3B11FNUZ\|f8E4M3\|f64\|f32\|f16\|bf16\)\>/ contained
syn keyword ptoBoolean true false unit

" the name of a PTO-AS statement
syn match ptoStart /^\s*\zs[a-z][a-z0-9_.]*/ contains=ptoShort,ptoInstruction,ptoClause
syn match ptoStart /\%(^\s*%[^=]*=\s*\)\@<=[a-z][a-z0-9_.]*/ contains=ptoShort,ptoInstruction
syn match ptoValue /%[A-Za-z0-9_$.-]\+\%(#\d\+\)\?/
syn match ptoFunction /@\%([A-Za-z0-9_$.-]\+\|"[^"]*"\)/
syn match ptoLabel /\^[A-Za-z0-9_$.-]\+/
syn match ptoNumber /\%([A-Za-z0-9_$.%#@]\)\@<!-\?\%(0x\x\+\|\d\+\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?\)/
syn match ptoExtent /\%(\d\|?\)\+x\%(\%(\d\|?\)\+x\)*/ contained nextgroup=ptoPacked
syn match ptoKeyName /[{,]\s*\zs[a-z_.]\+\ze\s*[=,}]/ contains=ptoKey
syn match ptoAlias /![A-Za-z0-9_$.-]\+/
syn match ptoType /!pto\.[A-Za-z0-9_$.-]\+/
syn region ptoTileType matchgroup=ptoType start=/!\?\<pto\.[a-z_0-9A-Z]\+</ end=/>/ oneline contains=ptoTileKey,ptoSpace,ptoWord,ptoElement,ptoExtent,ptoNumber,ptoType,ptoAlias,ptoTileType
syn match ptoAttribute /#[A-Za-z0-9_$.-]\+/
syn region ptoEnum matchgroup=ptoAttribute start=/#pto\%(\.[a-z_]\+\)\?</ end=/>/ oneline contains=ptoFamily,ptoWord
syn region ptoString start=/"/ skip=/\\./ end=/"/ oneline contains=ptoInstruction
syn match ptoComment /\/\/.*$/ contains=ptoTodo
syn match ptoComment /#\ze\%(\s\|$\).*$/ contains=ptoTodo
syn match ptoComment /#\%(\s.*\)\?$/ contains=ptoTodo
syn match ptoComment /;.*$/ contains=ptoTodo
syn keyword ptoTodo contained TODO FIXME

hi def link ptoInstruction Statement
hi def link ptoShort Statement
hi def link ptoClause Keyword
hi def link ptoElement Type
hi def link ptoPacked Type
hi def link ptoType Type
hi def link ptoAlias Type
hi def link ptoAttribute PreProc
hi def link ptoFamily PreProc
hi def link ptoKey Identifier
hi def link ptoTileKey Identifier
hi def link ptoWord Constant
hi def link ptoSpace Constant
hi def link ptoBoolean Boolean
hi def link ptoExtent Number
hi def link ptoNumber Number
hi def link ptoValue Identifier
hi def link ptoFunction Function
hi def link ptoLabel Label
hi def link ptoString String
hi def link ptoComment Comment
hi def link ptoTodo Todo

let b:current_syntax = 'pto'
